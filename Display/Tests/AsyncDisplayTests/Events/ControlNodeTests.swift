import AsyncDisplay
import Foundation
import LoopTransactions
import LoopTransactionsTesting
import Testing

@Suite("ControlNode")
struct ControlNodeTests {
  /// Returns a rasterizing root of 100 x 100 points at 10, 10. It contains a
  /// button of 40 x 40 points at 20, 20.
  private func makeTree() -> (root: Node, button: Button) {
    let root = Node()
    root.frame = Rect(x: 10, y: 10, width: 100, height: 100)
    root.rasterizesSubtree = true
    let button = Button()
    button.frame = Rect(x: 20, y: 20, width: 40, height: 40)
    root.addSubnode(button)
    return (root, button)
  }

  private let inside = Point(x: 35, y: 35)
  private let outside = Point(x: 100, y: 35)

  // D10
  @Test("a touch that ends inside, ends outside or is cancelled sends the matching events")
  func ends() {
    let (root, button) = makeTree()
    let router = TouchRouter(root)
    button.addTarget(button, for: .all) { $0.record($2) }
    #expect(router.began(at: inside) && button.isHighlighted && button.isTracking)
    router.ended(at: inside)
    #expect(button.take() == ["down", "upInside"])
    router.began(at: inside)
    router.moved(to: Point(x: 36, y: 35))
    router.moved(to: outside)
    #expect(!button.isHighlighted && button.isTracking)
    router.moved(to: Point(x: 101, y: 35))
    router.moved(to: inside)
    #expect(button.isHighlighted)
    router.moved(to: outside)
    router.ended(at: outside)
    #expect(
      button.take() == [
        "down", "dragInside", "dragOutside dragExit", "dragOutside", "dragInside dragEnter",
        "dragOutside dragExit", "upOutside",
      ]
    )
    router.began(at: inside)
    router.cancelled()
    router.ended(at: inside)
    #expect(button.take() == ["down", "cancel"])
    #expect(!button.isTracking && !button.isHighlighted && router.control == nil)
    #expect(!router.began(at: outside))
    #expect(button.take() == [])
  }

  // D10
  @Test("an action is called for each of its events, and a second tap sends down and repeat events")
  func masks() {
    let (root, button) = makeTree()
    let router = TouchRouter(root)
    let trace = Trace()
    button.addTarget(button, for: .touchDown) { _, _, _ in trace.record("down") }
    button.addTarget(button, for: .touchDownRepeat) { _, _, _ in trace.record("repeat") }
    button.addTarget(button, for: [.touchUpInside, .touchUpOutside]) { _, _, events in
      trace.record(events == .touchUpInside ? "inside" : "other")
    }
    for tap in 1...3 {
      router.began(at: inside, tapCount: tap)
      router.ended(at: inside)
    }
    #expect(
      trace.events == [
        "down", "inside", "down", "repeat", "inside", "down", "repeat", "inside",
      ]
    )
  }

  @Test("a released or removed target is not called, and a control does not retain its targets")
  func targets() {
    let (root, button) = makeTree()
    let trace = Trace()
    var target: Button? = Button()
    weak let witness = target
    if let target { button.addTarget(target, for: .all) { _, _, _ in trace.record("gone") } }
    target = nil
    // Checked before any event is sent, because sending an event could find the
    // released target.
    #expect(witness == nil && !button.answersEvents)
    #expect(root.hitTest(Point(x: 30, y: 30)) == nil)
    button.send(.touchUpInside)
    #expect(trace.events == [] && !button.answersEvents)
    let other = Button()
    let second = button.addTarget(other, for: .all) { _, _, _ in trace.record("second") }
    button.addTarget(button, for: .all) { button, _, _ in
      trace.record("third")
      button.removeTarget(other)
    }
    button.addTarget(other, for: .all) { _, _, _ in trace.record("fourth") }
    button.send(.touchUpInside)
    #expect(trace.take() == ["second", "third"])
    second.cancel()
    button.send(.touchDown)
    #expect(trace.take() == ["third"])
  }

  @Test("a cancelled action is no longer called, and cancelling it again does nothing")
  func cancelled() {
    let (_, button) = makeTree()
    let trace = Trace()
    let actions = (0..<3).map { number in
      button.addTarget(button, for: .touchDown) { _, _, _ in trace.record("\(number)") }
    }
    actions[1].cancel()
    button.send(.touchDown)
    #expect(trace.take() == ["0", "2"])
    actions[1].cancel()
    actions[0].cancel()
    button.send(.touchDown)
    #expect(trace.take() == ["2"])
    // The control may be released before its actions.
    var other: Button? = Button()
    let orphan = other?.addTarget(button, for: .all) { _, _, _ in }
    other = nil
    orphan?.cancel()
  }

  @Test("an action can cancel itself and a later action of the same event")
  func cancelsInside() {
    let (_, button) = makeTree()
    let trace = Trace()
    var actions: [ControlAction] = []
    for number in 0..<3 {
      let action = button.addTarget(button, for: .touchDown) { _, _, _ in
        trace.record("\(number)")
        if number == 0 { for action in actions.prefix(2) { action.cancel() } }
      }
      actions.append(action)
    }
    button.send(.touchDown)
    button.send(.touchDown)
    #expect(trace.take() == ["0", "2", "2"])
    // The actions' closures retain the array, which retains the actions.
    actions.removeAll()
  }

  // D10
  @Test("a touch goes to the frontmost control, wherever its bitmap is")
  func hitTesting() {
    let (root, button) = makeTree()
    button.addTarget(button, for: .all) { _, _, _ in }
    let point = Point(x: 30, y: 30)
    #expect(root.hitTest(point) === button)
    // A node without actions lets touches through. A control that is in front
    // of the button does not.
    let label = Block("label", button.frame, .red)
    root.addSubnode(label)
    #expect(root.hitTest(point) === button)
    let front = Button()
    front.frame = Rect(x: 0, y: 0, width: 10, height: 10)
    front.addTarget(front, for: .all) { _, _, _ in }
    label.addSubnode(front)
    #expect(root.hitTest(Point(x: 25, y: 25)) === front && root.hitTest(point) === button)
    front.isHidden = true
    #expect(root.hitTest(Point(x: 25, y: 25)) === button)
    front.isHidden = false
    label.alpha = 0
    #expect(root.hitTest(Point(x: 25, y: 25)) === button)
    button.isEnabled = false
    #expect(root.hitTest(point) == nil)
    button.isEnabled = true
    button.cornerRadius = 20
    #expect(
      root.hitTest(Point(x: 22, y: 22)) == nil && root.hitTest(Point(x: 40, y: 21)) === button
    )
    // The button is partly outside its supernode, which receives no touches
    // there only if it clips.
    button.frame.origin.x = 90
    #expect(root.hitTest(Point(x: 110, y: 40)) === button)
    root.clipsToBounds = true
    #expect(root.hitTest(Point(x: 110, y: 40)) == nil)
    #expect(root.hitTest(Point(x: .nan, y: 40)) == nil)
    // Points on the right and bottom edges belong to the neighbouring nodes.
    button.cornerRadius = 0
    button.frame.origin.x = 20
    #expect(
      root.hitTest(Point(x: 20, y: 20)) === button && root.hitTest(Point(x: 60, y: 30)) == nil
    )
  }

  @Test("disabling or removing a control cancels its touch")
  func takenAway() {
    let (root, button) = makeTree()
    let router = TouchRouter(root)
    button.addTarget(button, for: .all) { $0.record($2) }
    router.began(at: inside)
    button.isEnabled = false
    router.ended(at: inside)
    #expect(button.take() == ["down", "cancel"])
    button.isEnabled = true
    router.began(at: inside)
    button.removeFromSupernode()
    router.moved(to: inside)
    #expect(button.take() == ["down", "cancel"])
    root.addSubnode(button)
    router.began(at: inside)
    router.began(at: inside)
    #expect(button.take() == ["down", "cancel", "down"])
    button.follows = false
    router.moved(to: inside)
    router.ended(at: inside)
    #expect(button.take() == ["cancel"])
    #expect(!router.began(at: inside))
    #expect(button.take() == [] && !button.isHighlighted)
  }

  @Test("pressing redraws the picture off the loop, and the old contents stay visible meanwhile")
  func drawsOffLoop() throws {
    try withDisplay { display in
      let (root, button) = makeTree()
      let router = TouchRouter(root)
      button.addTarget(button, for: .touchUpInside) { button, _, _ in button.isSelected = true }
      root.load(in: display)
      root.waitUntilDisplayed()
      let loop = ThreadName()
      for _ in 0..<3 {
        let old = root.layer?.contents
        let began = Gate()
        let gate = Gate()
        button.work = {
          #expect(!loop.isCurrent)
          began.open()
          gate.wait()
        }
        router.began(at: inside)
        display.loop.run(.noWait)
        #expect(began.wait())
        #expect(root.layer?.contents === old && old != nil)
        gate.open()
        let isPressed = display.settle()
        #expect(isPressed && root.layer?.contents?.pixel(40, 40) == 0xFFFF_0000)
        router.ended(at: inside)
        let isReleased = display.settle()
        #expect(isReleased && root.layer?.contents?.pixel(40, 40) == 0xFF00_00FF)
        button.isSelected = false
        let isBack = display.settle()
        #expect(isBack && root.layer?.contents?.pixel(40, 40) == 0xFF00_FF00)
      }
    }
  }

  @Test("using a loaded control off its loop traps")
  func traps() async {
    await #expect(processExitsWith: .failure) {
      let loop = try EventLoop()
      let node = ControlNode()
      node.load(in: Display(on: loop))
      let kept = Kept(node)
      let thread = Thread { (kept.value as? ControlNode)?.send(.touchDown) }
      thread.start()
      while !thread.isFinished {}
      exit(EXIT_SUCCESS)
    }
  }
}

/// A button that is green, red while pressed, and blue if selected.
private final class Button: ControlNode {
  private var events: [String] = []
  var follows = true
  var work: (@Sendable () -> Void)?

  func record(_ events: ControlEvents) {
    let names: [(ControlEvents, String)] = [
      (.touchDown, "down"), (.touchDownRepeat, "repeat"), (.touchDragInside, "dragInside"),
      (.touchDragOutside, "dragOutside"), (.touchDragEnter, "dragEnter"),
      (.touchDragExit, "dragExit"), (.touchUpInside, "upInside"), (.touchUpOutside, "upOutside"),
      (.touchCancel, "cancel"),
    ]
    let words = names.filter { events.contains($0.0) }.map(\.1)
    self.events.append(words.joined(separator: " "))
  }

  func take() -> [String] {
    defer { events = [] }
    return events
  }

  override func beginTracking(_ touch: Touch) -> Bool { follows }

  override func continueTracking(_ touch: Touch) -> Bool { follows }

  override func makeDrawing() -> DisplayTask.Display? {
    let color: Color = isHighlighted ? .red : isSelected ? .blue : .green
    return { [work] context, size, _ in
      work?()
      context.fill(Rect(size: size), with: color)
    }
  }
}
