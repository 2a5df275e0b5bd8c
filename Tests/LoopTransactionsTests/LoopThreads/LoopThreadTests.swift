import Foundation
import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

private struct Failure: Error, Equatable {}

private final class Item: Sendable {
  static let show = Selector<Item>("loop thread show") { $0.tally.increment() }
  let tally: Tally

  init(_ tally: Tally) { self.tally = tally }
}

/// An actor on a loop.
private actor Resident {
  nonisolated let port: LoopPort
  nonisolated var unownedExecutor: UnownedSerialExecutor { port.asUnownedSerialExecutor() }

  init(on port: LoopPort) { self.port = port }

  func isOnLoop() -> Bool { EventLoop.current?.port === port }
}

/// The CPUs that the calling thread may use, as the kernel lists them. Nil on
/// other systems than Linux.
///
/// - Parameter thread: `self` for the process's first thread.
private func allowedCPUs(of thread: String = "thread-self") -> String? {
  let status = try? String(contentsOfFile: "/proc/\(thread)/status", encoding: .utf8)
  let line = status?.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list:") }
  return line?.split(separator: "\t").last.map(String.init)
}

@Suite("LoopThread")
struct LoopThreadTests {
  @Test("run calls the closure on the thread's own loop and returns its value")  // G1
  func run() async throws {
    let thread = try LoopThread(name: "run")
    let port = thread.port
    let (isOwn, identity) = try await thread.run { loop in
      (loop === EventLoop.current && loop.port === port, System.thread)
    }
    #expect(isOwn)
    #expect(identity != System.thread)
    #expect(try await thread.run { _ in System.thread } == identity)
    thread.stop()
    try await thread.join()
  }

  @Test("run throws the closure's error, and the loop goes on")  // G1
  func runFails() async throws {
    let thread = try LoopThread(name: "fails")
    await #expect(throws: Failure()) { try await thread.run { _ in throw Failure() } }
    #expect(try await thread.run { _ in 7 } == 7)
    thread.stop()
    try await thread.join()
  }

  @Test("the captures of run's closure are released on the loop, before the task resumes")  // G1
  func captures() async throws {
    let thread = try LoopThread(name: "captures")
    let identity = try await thread.run { _ in System.thread }
    let released = Locked<UInt?>(nil)
    try await thread.run { [witness = Witness { released.withLock { $0 = System.thread } }] _ in
      witness.touch()
    }
    #expect(released.withLock { $0 } == identity)
    thread.stop()
    try await thread.join()
  }

  @Test("actors on the thread's port and postAndWait run on the loop")  // G1, C1
  func others() async throws {
    let thread = try LoopThread(name: "others")
    let port = thread.port
    #expect(await Resident(on: port).isOnLoop())
    #expect(try port.postAndWait { EventLoop.current?.port === port })
    thread.stop()
    try await thread.join()
  }

  @Test("debuggers see the thread's name, truncated to the system's limit")  // G1
  func names() throws {
    let thread = try LoopThread(name: "loop-thread-with-a-long-name")
    #expect(inTime { Process.threadNames?.contains("loop-thread-wit") != false })
    #expect(thread.name == "loop-thread-with-a-long-name")
    thread.stop()
    try thread.join()
  }

  @Test("a name with a zero byte is refused")  // E9
  func cutName() {
    let error = #expect(throws: UVError.self) { try LoopThread(name: "cut\0off") }
    #expect(error?.name == "EINVAL")
    #expect(error?.operation.contains("remove it") == true)
  }

  @Test("everything handed over before stop() is performed")  // G1, L5, L8
  func performs() throws {
    let thread = try LoopThread(name: "performs")
    let (port, tally, scheduler) = (thread.port, Tally(), OperationScheduler.alone("beside"))
    let gate = Gate()
    // Keeps the loop from performing anything before it is stopped.
    try port.post {
      gate.wait()
      guard let loop = EventLoop.current else { return }
      let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
      transaction.add { _ in
      } completion: { _ in
        tally.increment()
      }
      transaction.commit()
      let queue = RunLoopQueue<Item>(on: loop) { item, _ in item.tally.increment() }
      for _ in 0..<10 { queue.enqueue(Item(tally)) }
    }
    for _ in 0..<100 { try port.post { tally.increment() } }
    for _ in 0..<10 { try port.commit(Item(tally), Item.show) }
    thread.stop()
    gate.open()
    try thread.join()
    #expect(tally.value == 121)
  }

  @Test("after the end, posts and run are refused")  // G1, L2
  func refuses() async throws {
    let thread = try LoopThread(name: "refuses")
    thread.stop()
    try await thread.join()
    #expect(throws: LoopPort.PostError.closed) { try thread.port.post {} }
    await #expect(throws: LoopPort.PostError.closed) { try await thread.run { _ in } }
  }

  @Test("a thread that the system refuses is retried, and reported after 10 ms")  // G1
  func refused() throws {
    guard Interposed.isAvailable else { return }
    let error = #expect(throws: UVError.self) {
      try Interposed.refusingThreads(.max) { try LoopThread(name: "refused") }
    }
    #expect(error?.name == "EAGAIN")
    #expect(error?.operation.hasPrefix("LoopThread.init (thread 'refused'") == true)
    let thread = try Interposed.refusingThreads(5) { try LoopThread(name: "retried") }
    thread.stop()
    try thread.join()
  }

  @Test("a loop that cannot be created ends the thread and throws")  // G1
  func noDescriptors() async {
    await #expect(processExitsWith: .success) {
      // libuv leaks some memory of the loops it cannot open.
      Interposed.forgiveLeaks()
      // libuv's first loop opens shared descriptors, and aborts if it cannot.
      try EventLoop().close()
      // Each loop takes several descriptors. Run out at each of them in turn.
      for count in 0..<4 {
        Process.limitDescriptors(to: count)
        let error = #expect(throws: UVError.self) { try LoopThread(name: "starved") }
        #expect(error?.name == "EMFILE")
      }
      // The system may list a thread for a moment after it was joined.
      #expect(inTime { Process.threadNames?.contains("starved") != true })
    }
  }
}

@Suite("LoopThread: affinity", .enabled(if: allowedCPUs() != nil))
struct LoopThreadAffinityTests {
  private static let first = Int(allowedCPUs(of: "self")?.prefix { $0.isNumber } ?? "") ?? 0

  @Test("a thread with an affinity runs on those CPUs, and its workers on all")  // G1, O1
  func pinned() async throws {
    // Not of the calling thread: peers of loopbench pin threads that tests share.
    let all = allowedCPUs(of: "self")
    let thread = try LoopThread(name: "pinned", affinity: [Self.first])
    let scheduler = OperationScheduler.alone("unpinned", workers: 1)
    let (done, seen) = (Gate(), Locked<String?>(nil))
    let own = try await thread.run { _ in
      scheduler.add { _ in
        seen.withLock { $0 = allowedCPUs() }
        done.open()
      }
      return allowedCPUs()
    }
    #expect(own == "\(Self.first)")
    #expect(done.waitInTime())
    #expect(seen.withLock { $0 } == all)
    thread.stop()
    try await thread.join()
  }

  @Test("a thread with an affinity does not change the count of the process's CPUs")  // G1, O1
  func count() async {
    await #expect(processExitsWith: .success) {
      let quota = ControlGroup.quota() ?? .max
      let expected = min(32, max(1, min(ActiveCores.allowed, quota)))
      let thread = try LoopThread(name: "counts", affinity: [Self.first])
      #expect(try await thread.run { _ in SerialQueuePool.defaultCount } == expected)
      thread.stop()
      try await thread.join()
    }
  }

  @Test("a CPU that the process cannot use is an error", arguments: [8191, -1, 1 << 40])  // G1
  func impossible(cpu: Int) {
    let error = #expect(throws: UVError.self) { try LoopThread(name: "cpu", affinity: [cpu]) }
    #expect(error?.name == "EINVAL")
    #expect(error?.operation == "LoopThread.init (affinity [\(cpu)])")
  }
}
