/// A type that shows nothing of its state to `dump`, a debugger or a failed expectation.
///
/// Swift's reflection traps at atomics and at `unowned(unsafe)` references, and reads
/// values without the lock, or off the thread, that guards them. A derived class
/// inherits the empty mirror.
@usableFromInline
package protocol Unreflected: CustomReflectable {}

extension Unreflected {
  /// Empty.
  @usableFromInline
  package var customMirror: Mirror {
    Mirror(self, children: [:], ancestorRepresentation: .suppressed)
  }
}

// Not `Unreflected`: a public class needs a public mirror.
extension Locked: CustomReflectable where Value: ~Copyable {
  /// An empty mirror: reflection would read the value without the mutex.
  public var customMirror: Mirror {
    Mirror(self, children: [:], ancestorRepresentation: .suppressed)
  }
}

extension AdaptiveLock: Unreflected where Value: ~Copyable {}
extension ProcessWide: Unreflected {}
