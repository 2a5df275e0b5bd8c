import CUV
import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("EventLoop.libuvLoop")
struct LibuvLoopTests {
  @Test("a handle of the program runs on the loop, and its commits are performed")  // E5
  func ownHandle() throws {
    let (loop, trace) = (try EventLoop(), Trace())
    let handle = ForeignHandle(.timer, on: loop.libuvLoop) { handle in
      trace.record("timer")
      loop.commit { trace.record("committed") }
      handle.close()
    }
    handle.start()
    #expect(loop.runInTime() == .finished)
    #expect(trace.events == ["timer", "committed"])
    try loop.close()
  }

  @Test("close() throws while a handle of the program is open, and the loop stays usable")  // E5
  func openHandle() throws {
    let (loop, trace) = (try EventLoop(), Trace())
    let handle = ForeignHandle(.timer, on: loop.libuvLoop) { _ in }
    #expect(throws: UVError(code: UV_EBUSY.rawValue, operation: "EventLoop.close (open: timer)")) {
      try loop.close()
    }
    loop.commit { trace.record("committed") }
    loop.run()
    #expect(trace.events == ["committed"])
    handle.close()
    try loop.close()
  }

  @Test("an adopted loop returns the host's address")  // E5
  func adopted() throws {
    try withAdoptedLoop { host, loop in #expect(loop.libuvLoop == host.address) }
  }

  @Test("the address of a closed loop traps")  // E5
  func closed() async {
    await #expect(processExitsWith: .failure) {
      let loop = try EventLoop()
      try loop.close()
      _ = loop.libuvLoop
    }
  }
}
