import AsyncDisplay
import Foundation
import LoopTransactions
import Testing

@Suite("Threads")
struct ThreadTests {
  /// Loads `node`, and calls `body` on another thread with the node, its layer
  /// and its display. Exits with success if `body` does not trap.
  private static func elsewhere<Kind: Node>(
    _ node: Kind,
    _ body: @escaping @Sendable (Kind, Layer, Display) -> Void
  ) throws -> Never {
    let loop = try EventLoop()
    let display = Display(on: loop)
    node.load(in: display)
    let given = Given((node, display))
    let thread = Thread {
      let (node, display) = given.value
      guard let layer = node.layer else { return }
      body(node, layer, display)
    }
    thread.start()
    while !thread.isFinished {}
    // Exits before the objects are released, because releasing them on this
    // thread would trap, too.
    withExtendedLifetime((loop, given)) { exit(EXIT_SUCCESS) }
  }

  // D1
  @Test("changing a layer off its loop traps, even if the change does not redraw the layer")
  func layer() async {
    await #expect(processExitsWith: .failure) {
      try Self.elsewhere(Node()) { _, layer, _ in layer.contentsPolicy = .clear }
    }
    await #expect(processExitsWith: .failure) {
      try Self.elsewhere(Node()) { _, layer, _ in layer.placeholder = nil }
    }
    await #expect(processExitsWith: .failure) {
      try Self.elsewhere(Node()) { _, layer, _ in layer.container = nil }
    }
    await #expect(processExitsWith: .failure) {
      try Self.elsewhere(Node()) { _, layer, _ in layer.size = Size(width: 1, height: 1) }
    }
    await #expect(processExitsWith: .failure) {
      try Self.elsewhere(Node()) { _, layer, _ in layer.priority = .high }
    }
    await #expect(processExitsWith: .failure) {
      try Self.elsewhere(Node()) { _, _, display in _ = display.metrics }
    }
  }

  // D9
  @Test("changing a node off its loop traps after the node is loaded, but not before")
  func node() async {
    await #expect(processExitsWith: .failure) {
      try Self.elsewhere(Node()) { node, _, _ in node.placeholder = nil }
    }
    await #expect(processExitsWith: .failure) {
      try Self.elsewhere(ImageNode()) { node, _, _ in node.keepsImage = false }
    }
    await #expect(processExitsWith: .failure) {
      try Self.elsewhere(MixedNode()) { node, _, _ in node.linkHandler = nil }
    }
    await #expect(processExitsWith: .failure) {
      try Self.elsewhere(MixedNode()) { node, _, _ in node.linkHighlight = .black }
    }
    await #expect(processExitsWith: .success) {
      let given = Given((ImageNode(), MixedNode()))
      let thread = Thread {
        let (image, text) = given.value
        (image.placeholder, image.keepsImage) = (nil, false)
        (text.linkHandler, text.linkHighlight) = (nil, .black)
      }
      thread.start()
      while !thread.isFinished {}
      withExtendedLifetime(given) { exit(EXIT_SUCCESS) }
    }
  }

  // D12
  @Test("querying a range controller off its loop traps")
  func ranges() async {
    await #expect(processExitsWith: .failure) {
      let node = Node()
      let loop = try EventLoop()
      let given = Given((RangeController(on: Display(on: loop)), Placed(node)))
      let thread = Thread { _ = given.value.0.place(of: given.value.1) }
      thread.start()
      while !thread.isFinished {}
      withExtendedLifetime((loop, given)) { exit(EXIT_SUCCESS) }
    }
  }
}

/// Passes a value to another thread, which the rules do not allow.
private final class Given<Value>: @unchecked Sendable {
  // @unchecked: one thread waits for the other, so they never use the value at
  // the same time.
  let value: Value

  init(_ value: Value) { self.value = value }
}

/// An item whose frame is at the origin.
private final class Placed: RangeItem {
  let frame = Rect.zero
  let node: Node?

  init(_ node: Node) { self.node = node }

  func didMove(from old: RangePlace, to new: RangePlace) {}
}
