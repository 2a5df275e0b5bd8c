import CLoopbench
import LoopbenchKit
import Testing

@Suite("PlacedThread")
struct PlacedThreadTests {
  @Test("a thread runs on the CPU it was placed on, and the caller keeps its affinity")
  func placed() throws {
    let before = cl_thread_cpu_count()
    let placement = Placement.detect()
    for cpu in [placement.loop, placement.producer].compactMap({ $0 }) {
      let seen = try PlacedThread.run(cpu: cpu) { Int(cl_current_cpu()) }
      #expect(seen == cpu)
    }
    #expect(cl_thread_cpu_count() == before)
  }

  @Test("a thread that a placed thread starts does not inherit its placement")
  func inheritance() throws {
    let placement = Placement.detect()
    let loop = placement.loop
    let counts = try PlacedThread.run(cpu: loop) { () throws(PeerFailure) in
      let own = cl_thread_cpu_count()
      let free = try PlacedThread.run(cpu: nil) { cl_thread_cpu_count() }
      return [own, free]
    }
    #expect(loop == nil || counts == [1, Int32(placement.cpuCount)])
  }

  @Test("placing a thread on a CPU that does not exist fails, and the message names the CPU")
  func noSuchCPU() throws {
    guard Placement.detect().loop != nil else { return }
    let failure = #expect(throws: PeerFailure.self) {
      try PlacedThread.run(cpu: 1000) { 0 }
    }
    #expect(failure?.description == "could not start a thread on CPU 1000: invalid argument")
  }

  @Test("a real-time thread and the threads it starts have its priority; its creator has none")
  func priority() throws {
    guard SystemError.refusing(priority: 3) == nil else {
      // Not permitted here. A run then fails before it measures.
      #expect(SystemError.refusing(priority: 3)?.description == "operation not permitted")
      return
    }
    let priorities = try PlacedThread.run(cpu: nil, priority: 3) { () throws(PeerFailure) in
      let own = cl_thread_priority()
      return [own, try PlacedThread.run(cpu: nil) { cl_thread_priority() }]
    }
    #expect(priorities == [3, 3])
    #expect(try PlacedThread.run(cpu: nil) { cl_thread_priority() } == 0)
    #expect(cl_thread_priority() == 0)
  }

  @Test("an invalid priority is refused")
  func noSuchPriority() {
    #expect(SystemError.refusing(priority: 1000) != nil)
  }

  @Test("an error thrown by the body reaches the caller")
  func failure() {
    #expect(throws: PeerFailure("no")) {
      try PlacedThread.run(cpu: nil) { () throws(PeerFailure) -> Int in throw PeerFailure("no") }
    }
  }
}
