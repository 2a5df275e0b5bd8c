/// A component that another module of the package adds to a loop.
///
/// `LoopPart` documents when each function is called.
package protocol AddedPart: AnyObject {
  /// Called once, when the part is added to `loop`.
  func attach(to loop: EventLoop)

  /// Whether the part holds anything that closing the loop must drop.
  var holdsAnything: Bool { get }

  /// The part's libuv handles.
  var handles: [UnsafeMutableRawPointer] { get }

  /// Drops everything. Called repeatedly.
  func drop()

  /// Called when the loop was released while open. May be called on any thread.
  func loopWasReleased()

  /// Keeps the part's handles from serving the parent's events in this child
  /// process. Must not take a lock.
  func stopInChild()
}

extension EventLoop {
  /// Returns the loop's only added part of the given type. Adds the part that
  /// `make` returns if there is none.
  package func part<Part: AddedPart>(_ type: Part.Type, orAdd make: () -> Part) -> Part {
    for case let adapter as PartAdapter in parts {
      if let part = adapter.part as? Part { return part }
    }
    let part = make()
    add(PartAdapter(part))
    part.attach(to: self)
    return part
  }
}

/// Makes an added part one of the loop's own.
private final class PartAdapter: LoopPart {
  let part: any AddedPart

  init(_ part: any AddedPart) { self.part = part }

  var holdsAnything: Bool { part.holdsAnything }

  var handles: [UnsafeMutableRawPointer] { part.handles }

  func drop() { part.drop() }

  func loopWasReleased() { part.loopWasReleased() }

  func stopInChild(of _: UVLoop) { part.stopInChild() }
}
