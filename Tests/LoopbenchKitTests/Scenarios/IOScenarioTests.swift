import CLoopbench
import Foundation
import LoopTransactionsTesting
import LoopbenchKit
import TestSupport
import Testing

@Suite("io")
struct IOScenarioTests {
  /// Measures `series` with `peer` on the calling thread, in 3 batches of
  /// `operations`.
  static func measure(_ peer: String, _ series: String, operations: Int = 32) throws -> Slice {
    let peer = Registry.standard.peers(of: .io).first { $0.name == peer }
    var slice = Slice(
      series: series,
      workload: Workload(warmUps: 1, samples: 2, operations: operations),
      seats: Placement.Seats(loop: nil, producer: nil),
      generator: SeededGenerator(seed: 1, stream: 0)
    )
    try #require(peer).measure(&slice)
    return slice
  }

  @Test(
    "every peer answers every message of every series",
    arguments: ["uv", "lt", "epoll", "dispatch"],
    Scenario.io.series.map(\.name)
  )
  func answers(peer: String, series: String) throws {
    let slice = try Self.measure(peer, series)
    #expect(slice.recorded.count == 1 && slice.recorded[series]?.count == 2)
    #expect(slice.recorded[series]?.max ?? 0 > 0)
  }

  @Test("a series of another scenario is refused", arguments: ["uv", "lt", "epoll", "dispatch"])
  func unknown(peer: String) {
    #expect(throws: PeerError("this peer does not measure the series \"across\"")) {
      try Self.measure(peer, "across")
    }
  }

  @Test("a byte that is answered sends the next one, until all batches have ended")
  func bytes() throws {
    let io = try #require(cl_io_open(0, 3, 2))
    defer { cl_io_close(io) }
    let server = io.pointee.servers[0]
    for answered in 1...6 {
      #expect(cl_io_answer(io, server) == 1)
      #expect(io.pointee.answered == answered)
    }
    let ended = (0..<3).map { io.pointee.ended[$0] }
    #expect(ended[0] > 0 && ended == ended.sorted())
    #expect(cl_io_answer(io, server) == 0)
    #expect(io.pointee.answered == 6)
  }

  @Test("an answer without a byte waits for the next one")
  func spurious() throws {
    let io = try #require(cl_io_open(1, 1, 1))
    defer { cl_io_close(io) }
    #expect(cl_io_answer(io, io.pointee.servers[0]) == 1)
    #expect(io.pointee.answered == 0)
  }

  /// Returns the number of answers that a client accepts, if these messages are
  /// waiting for it.
  private func accepted(_ numbers: [UInt64]) throws -> UInt64 {
    let io = try #require(cl_io_open(1, 4, 1))
    defer { cl_io_close(io) }
    for number in numbers {
      let message = [number] + [UInt64](repeating: 0, count: 7)
      #expect(write(io.pointee.servers[0], message, 64) == 64)
    }
    // Without more answers the client would wait.
    cl_io_give_up(io)
    cl_io_send_all(io)
    return io.pointee.answered
  }

  @Test("a client accepts one answer to each message, and stops at any other")
  func wrongAnswers() throws {
    #expect(try accepted([1, 2, 3, 4]) == 4)
    #expect(try accepted([1, 2]) == 2)
    #expect(try accepted([1, 1, 2, 3]) == 1)
    #expect(try accepted([2, 3]) == 0)
  }

  /// Measures with 0 to 15 free descriptors. Returns whether each succeeded.
  static func measureWithFew(_ peer: String, _ series: String) throws -> [Bool] {
    var limits = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    getrlimit(resource, &limits)
    return try (0...15).map { free in
      Process.limitDescriptors(to: free)
      defer { setrlimit(resource, &limits) }
      do {
        _ = try measure(peer, series)
        return true
      } catch is PeerError {
        return false
      }
    }
  }

  @Test(
    "a peer without descriptors throws and does not block",
    .enabled(if: FileManager.default.fileExists(atPath: "/proc/self"), "there is no /proc"),
    .enabled(if: !Interposed.isSanitized, "a sanitizer opens descriptors")
  )
  func noDescriptors() async {
    await #expect(processExitsWith: .success) {
      for peer in ["epoll", "uv", "lt"] {
        for series in ["byte", "echo"] {
          // The first use opens descriptors that the process keeps.
          _ = try IOScenarioTests.measure(peer, series)
          let open = LeftoverTests.descriptors
          let succeeded = try IOScenarioTests.measureWithFew(peer, series)
          #expect(succeeded.first == false && succeeded.last == true, "\(peer) \(succeeded)")
          // libuv 1.44 does not close its epoll descriptor if it cannot open a loop.
          // The test's own process may open one meanwhile.
          let failures = succeeded.count { !$0 }
          let left = LeftoverTests.descriptors - open
          if peer == "epoll" { #expect(left < failures, "\(series): \(left)") }
        }
      }
    }
  }
}

/// The calls and allocations of the loop's thread.
@Suite("Counts of io", .enabled(if: Interposed.isAvailable, "calls are not counted here"))
struct IOCountTests {
  struct Counts: Equatable {
    var polls, changes, reads, writes, allocations: Int

    static var now: Counts {
      Counts(
        polls: Interposed.polls,
        changes: Interposed.pollChanges,
        reads: Interposed.reads,
        writes: Interposed.writes,
        allocations: Interposed.allocations
      )
    }

    static func - (after: Counts, before: Counts) -> Counts {
      Counts(
        polls: after.polls - before.polls,
        changes: after.changes - before.changes,
        reads: after.reads - before.reads,
        writes: after.writes - before.writes,
        allocations: after.allocations - before.allocations
      )
    }
  }

  /// Returns what 3 batches of `operations` cost.
  private func cost(_ peer: String, _ series: String, _ operations: Int) throws -> Counts {
    let before = Counts.now
    _ = try IOScenarioTests.measure(peer, series, operations: operations)
    return Counts.now - before
  }

  @Test(
    "an event costs one poll, one read and one write, and no allocation",
    arguments: ["epoll", "uv", "lt"],
    ["byte", "echo"]
  )
  func event(peer: String, series: String) throws {
    // The first loop of a process opens libuv's signal pipe.
    _ = try cost(peer, series, 100)
    let events = 3 * 300
    var few = try cost(peer, series, 100)
    var more = try cost(peer, series, 400) - few
    // The client has a thread of its own, so the ends of a run may take a poll or a read
    // more. An additional call for each event occurs in every run.
    for _ in 1...5 where more.polls != events || more.reads != events {
      few = try cost(peer, series, 100)
      more = try cost(peer, series, 400) - few
    }
    #expect(more.polls == events && more.reads == events && more.writes == events)
    #expect(more.changes == 0)
    // The start and the end of two runs differ by an allocation or two.
    if Interposed.isOptimized { #expect(more.allocations < 10) }
  }

  @Test("32 connections cost one read and one write for each message, and no allocation")
  func many() throws {
    for peer in ["epoll", "uv", "lt"] {
      _ = try cost(peer, "echo.many", 320)
      let more = try cost(peer, "echo.many", 3200) - cost(peer, "echo.many", 320)
      let events = 3 * 2880
      #expect(more.reads == events && more.writes == events && more.changes == 0, "\(peer)")
      #expect(more.polls <= events)
      // A connection allocates a buffer the first time it has one to send while
      // all others are in use. How many do is a matter of time.
      if Interposed.isOptimized { #expect(more.allocations < events / 100, "\(peer)") }
    }
  }
}
