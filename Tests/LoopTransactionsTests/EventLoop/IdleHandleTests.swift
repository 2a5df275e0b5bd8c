import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("EventLoop: idle handles of others")
struct IdleHandleTests {
  @Test("while another idle handle is active, a post sends no wake and runs in the next tick")
  func postDuringPoll() throws {  // L6, I4
    try withLoop { loop in
      let (port, trace) = (loop.port, Trace())
      let idle = ForeignHandle(.idle, on: loop.libuvLoop) { _ in trace.record("idle") }
      let poll = ForeignHandle(.poll, on: loop.libuvLoop) { poll in
        poll.close()
        TestThread.run { try? port.post { trace.record("posted") } }
        trace.record("poll")
      }
      idle.start()
      poll.start().send()
      loop.addObserver(for: .beforeWaiting) { _ in
        if trace.events.contains("posted") { idle.close() }
      }
      loop.run()
      #expect(trace.events == ["idle", "poll", "idle", "posted"])
      #expect(loop.metrics.wakesSent == 0)
    }
  }

  @Test("while another idle handle is active, a stop from another thread ends the run")  // L8, I4
  func stopDuringPoll() throws {
    try withLoop { loop in
      let (port, trace) = (loop.port, Trace())
      let idle = ForeignHandle(.idle, on: loop.libuvLoop) { _ in trace.record("idle") }
      let poll = ForeignHandle(.poll, on: loop.libuvLoop) { poll in
        poll.close()
        TestThread.run { port.stop() }
      }
      idle.start()
      poll.start().send()
      #expect(loop.run() == .stopped)
      #expect(trace.events == ["idle", "idle"])
      idle.close()
    }
  }

  @Test("a post wakes the loop if a later prepare handle has stopped the last idle handle")
  func laterPrepare() throws {  // L6, I4
    var later: ForeignHandle?
    var idle: ForeignHandle?
    let ports = Smuggled(Ports())
    let ran = Tally()
    var ticks = 0
    try withAdoptedLoop(prepare: { host in
      // libuv calls this handle after the loop's own. The third poll blocks after
      // it. Before the first tick, an adopted loop counts as asleep anyway.
      later = ForeignHandle(.prepare, on: host.address) { handle in
        ticks += 1
        guard ticks == 3 else { return }
        handle.stop()
        idle?.close()
        TestThread.run {
          try? ports.value.port?.post {
            ran.increment()
            ports.value.port?.stop()
          }
        }
      }
      later?.start()
    }) { host, loop in
      ports.value.port = loop.awaitedPort
      idle = ForeignHandle(.idle, on: host.address) { _ in }
      idle?.start()
      // Ends the poll if the wake is lost.
      let limit = ForeignHandle(.timer, on: host.address) { _ in host.stop() }
      limit.start(afterMilliseconds: 10_000)
      loop.run()
      #expect(ran.value == 1)
      #expect(loop.metrics.wakesSent == 1)
      limit.close()
      later?.close()
      ports.value.port = nil
    }
  }

  private final class Ports { var port: LoopPort? }

  @Test("an adopted loop that stays asleep between two ticks is woken by a post")  // L6, I4
  func staysAsleep() throws {
    try withAdoptedLoop { host, loop in
      let (port, ran) = (loop.awaitedPort, Tally())
      let idle = ForeignHandle(.idle, on: host.address) { _ in }
      idle.start()
      for _ in 0..<3 { host.run(.noWait) }
      idle.close()
      for count in 1...3 {
        TestThread.run { try? port.post { ran.increment() } }
        #expect(host.wait())
        host.run(.noWait)
        host.run(.noWait)
        #expect(ran.value == count)
      }
    }
  }
}
