import CUV
import LoopTransactions
import TestSupport
import Testing

// I2
@Suite("TickHandles")
struct TickHandlesTests {
  /// Calls `body` with handles on a libuv loop, with the loop, and with a
  /// record of the handles' calls. Closes the handles and the loop afterwards.
  private func withHandles(
    prepare: (ForeignLoop, Calls) -> Void = { _, _ in },
    _ body: (TickHandles, ForeignLoop, Calls) throws -> Void
  ) throws {
    let host = ForeignLoop()
    let calls = Calls()
    prepare(host, calls)
    let ticks = try Self.handles(on: host)
    ticks.setOwner(calls)
    try body(ticks, host, calls)
    ticks.close()
    calls.closeForeign()
    #expect(host.close(), "a handle was left open")
  }

  private static func handles(on host: ForeignLoop) throws -> TickHandles {
    try TickHandles(
      loop: UVLoop(address: host.address),
      beforeWaiting: { owner(of: $0, as: Calls.self)?.names.append("prepare") },
      afterWaiting: { owner(of: $0, as: Calls.self)?.names.append("check") }
    )
  }

  @Test("libuv calls handles started later before these, and handles started earlier after them")
  func order() throws {
    try withHandles { host, calls in
      for kind in [ForeignHandle.Kind.prepare, .check] { calls.start("earlier", kind, on: host) }
    } _: { _, host, calls in
      for kind in [ForeignHandle.Kind.prepare, .check] { calls.start("later", kind, on: host) }
      host.run(.noWait)
      #expect(calls.names == ["later", "prepare", "earlier", "later", "check", "earlier"])
    }
  }

  @Test("a run does not wait for handles that are not armed")
  func disarmed() throws {
    try withHandles { _, host, calls in
      let loop = UVLoop(address: host.address)
      #expect(!loop.isAlive)
      #expect(!host.run())
      #expect(calls.names == [])
    }
  }

  @Test("armed handles keep the loop from blocking and ending until they are disarmed once")
  func armed() throws {
    try withHandles { ticks, host, _ in
      let loop = UVLoop(address: host.address)
      let timer = ForeignHandle(.timer, on: host.address) { _ in }
      timer.start(afterMilliseconds: 60_000)
      host.run(.noWait)
      #expect(loop.backendTimeout > 0)
      for _ in 0..<2 {
        ticks.arm()
        ticks.arm()
        #expect(loop.backendTimeout == 0)
        ticks.disarm()
        #expect(loop.backendTimeout > 0)
      }
      timer.close()
      host.run(.noWait)
      #expect(!loop.isAlive)
      ticks.arm()
      #expect(loop.isAlive)
      ticks.disarm()
      #expect(!loop.isAlive)
    }
  }

  @Test("closing one of the handles from outside is detected", arguments: 0..<3)
  func closing(index: Int) throws {
    let host = ForeignLoop()
    let ticks = try Self.handles(on: host)
    #expect(!ticks.areClosing)
    let address = ticks.addresses[index]
    uv_close(address.assumingMemoryBound(to: uv_handle_t.self)) {
      UnsafeMutableRawPointer($0)?.deallocate()
    }
    #expect(ticks.areClosing)
    // close() leaves that handle to the code that closed it.
    ticks.close()
    #expect(host.close(), "a handle was left open")
  }

  @Test("handles without an owner call nothing")
  func ownerless() throws {
    try withHandles { ticks, host, calls in
      ticks.arm()
      ticks.setOwner(nil)
      host.run(.noWait)
      #expect(calls.names == [])
    }
  }

  @Test("closing frees the handles", .enabled(if: Interposed.isAvailable))
  func freed() async {
    // In a separate process, because other tests allocate too.
    await #expect(processExitsWith: .success) {
      let host = ForeignLoop()
      func rounds(_ count: Int) throws {
        for _ in 0..<count {
          let ticks = try Self.handles(on: host)
          ticks.arm()
          ticks.close()
          host.run(.noWait)
        }
      }
      try rounds(10)
      let before = Interposed.heapBytes
      try rounds(2000)
      let growth = Interposed.heapBytes - before
      // One handle is over 100 bytes.
      precondition(growth < 50_000, "2,000 rounds leaked \(growth) bytes")
    }
  }
}

/// The handles' calls in order, and the foreign handles that are also called.
private final class Calls {
  var names: [String] = []
  private var foreign: [ForeignHandle] = []

  func start(_ name: String, _ kind: ForeignHandle.Kind, on host: ForeignLoop) {
    let handle = ForeignHandle(kind, on: host.address) { [unowned self] _ in names.append(name) }
    foreign.append(handle.start())
  }

  func closeForeign() { for handle in foreign { handle.close() } }
}
