import CUV
import LoopTransactions
import TestSupport
import Testing

// I8
@Suite("WakeSource")
struct WakeSourceTests {
  /// Calls `body` with a source on a libuv loop and a counter of the source's
  /// callbacks. Closes the source and the loop, and returns the counter. By
  /// default the source keeps the loop alive, because libuv polls only if a
  /// handle does so.
  @discardableResult
  private func withSource(
    _ method: WakeMethod,
    isAwaited: Bool = true,
    _ body: (WakeSource, ForeignLoop, Wakes) throws -> Void
  ) throws -> Wakes {
    let host = ForeignLoop()
    let wakes = Wakes()
    let source = try WakeSource(
      method,
      loop: UVLoop(address: host.address),
      descriptorWoke: { handle, _, _ in owner(of: handle, as: Wakes.self)?.count += 1 },
      asyncWoke: { handle in owner(of: handle, as: Wakes.self)?.count += 1 }
    )
    source.setOwner(wakes)
    if isAwaited { source.keepsLoopAlive(true) }
    try body(source, host, wakes)
    // The next tick frees the handle.
    if !source.isClosing { source.close() }
    #expect(host.close(), "a handle was left open")
    return wakes
  }

  @Test("a send from another thread ends a blocking poll", arguments: WakeMethod.allCases)
  func endsPoll(method: WakeMethod) throws {
    try withSource(method) { source, host, wakes in
      // This timer makes a lost wake fail the test instead of hanging it.
      let guardTimer = ForeignHandle(.timer, on: host.address) { _ in wakes.timedOut = true }
      guardTimer.start(afterMilliseconds: 20_000)
      let shared = Smuggled(source)
      for round in 1...3 {
        let sender = TestThread { shared.value.send() }
        host.run(.once)
        sender.join()
        source.acknowledge()
        #expect(wakes.count == round && !wakes.timedOut)
      }
      guardTimer.close()
    }
  }

  @Test(
    "sends before a poll are one event, which an acknowledgement ends",
    arguments: WakeMethod.allCases
  )
  func acknowledged(method: WakeMethod) throws {
    try withSource(method) { source, host, wakes in
      for round in 1...2 {
        for _ in 0..<3 { source.send() }
        host.run(.noWait)
        source.acknowledge()
        host.run(.noWait)
        #expect(wakes.count == round)
      }
    }
  }

  @Test("with edge triggering each send is an event, without an acknowledgement")
  func edges() throws {
    try withSource(.descriptor) { source, host, wakes in
      source.send()
      host.run(.noWait)
      source.acknowledge()
      #expect(source.enableEdgeTriggeredWakes(on: UVLoop(address: host.address)))
      for round in 2...4 {
        source.send()
        host.run(.noWait)
        host.run(.noWait)
        #expect(wakes.count == round)
      }
    }
  }

  @Test("libuv's async handle has no edge triggering")
  func noEdges() throws {
    try withSource(.async) { source, host, _ in
      #expect(!source.enableEdgeTriggeredWakes(on: UVLoop(address: host.address)))
    }
  }

  @Test("a source keeps the loop alive only if asked to", arguments: WakeMethod.allCases)
  func keepsAlive(method: WakeMethod) throws {
    try withSource(method, isAwaited: false) { source, host, _ in
      let loop = UVLoop(address: host.address)
      #expect(!loop.isAlive)
      source.keepsLoopAlive(true)
      #expect(loop.isAlive)
      source.keepsLoopAlive(false)
      #expect(!loop.isAlive)
    }
  }

  @Test(
    "a closed source calls nothing, not even for an earlier send",
    arguments: WakeMethod.allCases
  )
  func closed(method: WakeMethod) throws {
    let wakes = try withSource(method) { source, _, _ in
      source.send()
      #expect(!source.isClosing)
      source.close()
      #expect(source.isClosing)
    }
    #expect(wakes.count == 0)
  }

  @Test("a send to a source without an owner calls nothing", arguments: WakeMethod.allCases)
  func ownerless(method: WakeMethod) throws {
    try withSource(method) { source, host, wakes in
      source.setOwner(nil)
      source.send()
      host.run(.noWait)
      #expect(wakes.count == 0)
    }
  }

  @Test("closing a source closes its descriptor", arguments: WakeMethod.allCases)
  func descriptors(method: WakeMethod) async {
    // In a separate process, because other tests open descriptors too.
    await #expect(processExitsWith: .success) { [isAsync = (method == .async) as Bool] in
      let host = ForeignLoop()
      var open: [Int] = []
      for _ in 0..<20 {
        let source = try WakeSource(
          isAsync ? .async : .descriptor,
          loop: UVLoop(address: host.address),
          descriptorWoke: { _, _, _ in },
          asyncWoke: { _ in }
        )
        source.close()
        host.run(.noWait)
        open.append(Process.openDescriptors)
      }
      // Allow some differences, because the runtime of the process opens
      // descriptors too.
      precondition(open[19] < open[0] + 10, "the sources leaked descriptors: \(open)")
      precondition(host.close(), "a handle is open")
    }
  }
}

/// Counts the callbacks of a source.
private final class Wakes {
  var count = 0
  var timedOut = false
}
