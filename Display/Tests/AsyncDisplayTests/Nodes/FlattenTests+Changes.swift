import AsyncDisplay
import LoopTransactions
import Testing

private let red: UInt32 = 0xFFFF_0000

// Tests of changes made while the flat picture is drawn.
extension FlattenTests {
  // D11, D3
  @Test("a change during flattening is not hidden by the flat picture")
  func changesMeanwhile() throws {
    try withDisplay(workers: 1) { display in
      let tree = makeTree()
      _ = try rest(tree.root, in: display)
      let gate = Gate()
      display.scheduler.add(priority: .interactive) { _ in gate.wait() }
      #expect(tree.root.flatten())
      display.loop.run(.noWait)
      tree.parts[1].isHidden = true
      gate.open()
      let isFinished = display.settle()
      #expect(isFinished && !tree.root.isFlattened)
      #expect(try tree.root.look(at: 15, 15) == red)
      #expect(tree.root.flatten())
      let isFlat = display.settle()
      #expect(isFlat && tree.root.isFlattened)
      #expect(try tree.root.look(at: 15, 15) == red)
    }
  }

  // D11, D3
  @Test(
    "a layer invalidated during flattening is not hidden, whether or not it is drawn first",
    arguments: [true, false]
  )
  func layerChangesMeanwhile(_ isDrawnBefore: Bool) throws {
    try withDisplay(workers: isDrawnBefore ? 1 : 2) { display in
      let tree = makeTree()
      _ = try rest(tree.root, in: display)
      let displayed = display.metrics.displayed
      let gate = Gate()
      if !isDrawnBefore { tree.parts[1].work = { _ in gate.wait() } }
      #expect(tree.root.flatten())
      tree.parts[1].color = .black
      tree.parts[1].layer?.setNeedsDisplay()
      let deadline = LoopClock.now.advanced(by: .seconds(10))
      while display.metrics.displayed == displayed, LoopClock.now < deadline {
        display.loop.run(.noWait)
      }
      gate.open()
      let isFinished = display.settle()
      #expect(isFinished && !tree.root.isFlattened)
      #expect(tree.parts[1].layer?.needsDisplay == false)
      #expect(try tree.root.look(at: 15, 15) == 0xFF00_0000)
    }
  }

  // D9, D11
  @Test("a cancelled, suspended or detached tree does not become flat", arguments: [true, false])
  func givenUp(_ isBegun: Bool) throws {
    try withDisplay(workers: 1) { display in
      let stops: [(Node) -> Void] = [
        { $0.cancelDisplay() }, { $0.isSuspended = true }, { $0.isDetached = true },
      ]
      for (index, stop) in stops.enumerated() {
        let tree = makeTree()
        _ = try rest(tree.root, in: display)
        let begun = display.metrics.begun
        let gate = Gate()
        display.scheduler.add(priority: .interactive) { _ in gate.wait() }
        #expect(tree.root.flatten())
        if isBegun { display.loop.run(.noWait) }
        stop(tree.root)
        if index > 0 { #expect(!tree.root.flatten(), "stop \(index)") }
        gate.open()
        var isFinished = display.settle()
        #expect(isFinished && !tree.root.isFlattened, "stop \(index)")
        #expect(display.metrics.begun == begun + (isBegun ? 1 : 0), "stop \(index)")
        tree.root.isSuspended = false
        tree.root.isDetached = false
        #expect(tree.root.flatten(), "stop \(index)")
        isFinished = display.settle()
        #expect(isFinished && tree.root.isFlattened, "stop \(index)")
      }
    }
  }
}
