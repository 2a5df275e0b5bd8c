import LoopTransactions
import TestSupport
import Testing

@Suite("HostWaiter")
struct HostWaiterTests {
  @Test("all hosts share one thread, which ends after the last host, with its descriptors")  // C8
  func endsWithLast() async {
    await #expect(processExitsWith: .success) {
      func waiters() -> Int { (Process.threadNames ?? []).filter { $0 == "loop-waiter" }.count }
      // libuv opens descriptors of its own with the first loop.
      let loops = [try EventLoop(), try EventLoop(), try EventLoop()]
      let before = Process.openDescriptors
      for _ in 0..<10 {
        let hosts = try loops.map { try ExecutorHost($0, on: QueueHost().executor()) }
        #expect(inTime { waiters() == 1 })
        hosts[0].cancel()
        hosts[1].cancel()
        #expect(waiters() == 1)
        hosts[2].cancel()
        #expect(inTime { waiters() == 0 })
      }
      // Each thread has three. Dispatch may open one for the time limit meanwhile.
      #expect(inTime { Process.openDescriptors < before + 10 })
      for loop in loops { try loop.close() }
    }
  }

  @Test(
    "a thread that the system refuses once is started; one that it refuses is reported",
    .enabled(if: Interposed.isAvailable)
  )
  func threadRefused() async {  // C8
    await #expect(processExitsWith: .success) {
      let (loop, queue, ran) = (try EventLoop(), QueueHost(), Tally())
      let before = Process.openDescriptors
      for _ in 0..<10 {
        let error = #expect(throws: UVError.self) {
          try Interposed.refusingThreads(1000) { _ = try ExecutorHost(loop, on: queue.executor()) }
        }
        #expect(error?.name == "EAGAIN")
        #expect(error?.operation.contains("ExecutorHost.init") == true)
      }
      // Dispatch may open some for other threads of the test meanwhile.
      #expect(Process.openDescriptors < before + 10)
      // Unchanged: it can be run.
      loop.commit { ran.increment() }
      #expect(loop.run() == .finished)
      let host = try Interposed.refusingThreads(3) {
        try ExecutorHost(loop, on: queue.executor())
      }
      loop.addTimer(after: .milliseconds(1)) { _ in ran.increment() }
      #expect(queue.run { ran.value == 2 })
      host.cancel()
      try loop.close()
    }
  }

  @Test("without a descriptor, a host throws EMFILE and the loop remains usable")  // C8
  func descriptorRefused() async {
    await #expect(processExitsWith: .success) {
      let (loop, queue, ran) = (try EventLoop(), QueueHost(), Tally())
      for spare in 0..<3 {
        Process.limitDescriptors(to: spare)
        let error = #expect(throws: UVError.self) { try ExecutorHost(loop, on: queue.executor()) }
        #expect(error?.name == "EMFILE")
      }
      loop.commit { ran.increment() }
      #expect(loop.run() == .finished)
      #expect(ran.value == 1)
      try loop.close()
    }
  }

  @Test(
    "a forked child can use hosts of its own, and the parent's go on",
    .enabled(if: !Interposed.isSanitized, "ThreadSanitizer ends a child that starts a thread")
  )  // C8, L12
  func forked() async {
    await #expect(processExitsWith: .success) {
      Process.endInTime()
      let (loop, queue, ran) = (try EventLoop(), QueueHost(), Tally())
      let (port, host) = (loop.port, try ExecutorHost(loop, on: queue.executor()))
      loop.addTimer(after: .milliseconds(1)) { _ in ran.increment() }
      let child = Process.fork {
        #expect(throws: LoopPort.PostError.forked) { try port.post {} }
        let (own, other) = (QueueHost(), Tally())
        guard let loop = try? EventLoop(),
          let host = try? ExecutorHost(loop, on: own.executor())
        else { fatalError("no host in the child") }
        loop.addTimer(after: .milliseconds(1)) { _ in other.increment() }
        guard own.run(until: { other.value == 1 }) else { fatalError("no timer in the child") }
        host.cancel()
        try? loop.close()
      }
      #expect(child.status == 0, "\(child.standardError)")
      #expect(queue.run { ran.value == 1 })
      host.cancel()
      try loop.close()
    }
  }
}
