import CLoopbench
import FoundationEssentials
import LoopbenchKit
import Testing

@Suite("PlacedThread")
struct PlacedThreadTests {
  /// The CPUs that the calling thread may run on; empty if unknown.
  private static var allowedCPUs: [Int] {
    let status = try? InputFile.read("/proc/thread-self/status", limit: 1 << 16)
    let lines = String(decoding: status ?? Data(), as: UTF8.self).split(separator: "\n")
    let list = lines.first { $0.hasPrefix("Cpus_allowed_list:\t") }?.split(separator: "\t").last
    return (list ?? "").split(separator: ",").flatMap { range in
      let ends = range.split(separator: "-").compactMap { Int($0) }
      return ends.isEmpty ? [] : Array(ends[0]...ends[ends.count - 1])
    }
  }

  @Test("a thread runs on the CPU it was placed on, and the caller keeps its affinity")
  func placed() throws {
    let before = Self.allowedCPUs
    let placement = Placement.detect()
    for cpu in [placement.loop, placement.producer].compactMap({ $0 }) {
      let seen = try PlacedThread.run(cpu: cpu) { Self.allowedCPUs }
      #expect(seen == [cpu])
    }
    #expect(Self.allowedCPUs == before)
  }

  @Test("a thread does not inherit the placement of the thread that starts it")
  func inheritance() throws {
    let placement = Placement.detect()
    let loop = placement.loop
    let counts = try PlacedThread.run(cpu: loop) { () throws(PeerError) in
      let own = Self.allowedCPUs
      let free = try PlacedThread.run(cpu: nil) { Self.allowedCPUs }
      return [own, free]
    }
    #expect(loop == nil || counts.map(\.count) == [1, placement.cpuCount])
  }

  @Test("placing a thread on a CPU that does not exist fails, and the message names the CPU")
  func noSuchCPU() throws {
    guard Placement.detect().loop != nil else { return }
    let failure = #expect(throws: PeerError.self) {
      try PlacedThread.run(cpu: 1000) { 0 }
    }
    #expect(failure?.description == "could not start a thread on CPU 1000: invalid argument")
  }

  @Test("an error thrown by the body reaches the caller")
  func failure() {
    #expect(throws: PeerError("no")) {
      try PlacedThread.run(cpu: nil) { () throws(PeerError) -> Int in throw PeerError("no") }
    }
  }
}
