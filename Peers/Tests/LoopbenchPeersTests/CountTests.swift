import CPeers
import LoopbenchKit
import LoopbenchPeers
import Testing

/// Each table does every piece of work exactly once.
@Suite("Work of the peers", .serialized)
struct CountTests {
  static let loops: [(String, cp_loop)] =
    [
      ("asio", cp_asio), ("libevent", cp_libevent), ("libev", cp_libev), ("glib", cp_glib),
      ("uv.stack", cp_uv_stack),
    ] + rust

  /// The loops in Rust, if their library is beside the tests.
  private static let rust: [(String, cp_loop)] = ["cp_tokio", "cp_crossbeam"].compactMap { name in
    guard let table = cp_rust_loop(name) else { return nil }
    return (name, table.pointee)
  }

  @Test("a loop runs each closure that its own thread and another thread post once, in order")
  func loops() throws {
    for (name, table) in Self.loops {
      let loop = try #require(table.open(), "\(name)")
      defer { table.close(loop) }
      for count in [1, 2, 1000, 20_000] as [UInt32] {
        let run = LoopRun(table, loop, posts: count)
        #expect(run.own == count && run.others == count, "\(name): \(run.own), \(run.others)")
        #expect(run.isInOrder, "\(name)")
      }
    }
  }

  @Test("a loop that is stopped before it runs returns, and runs again later")
  func stop() throws {
    for (name, table) in Self.loops {
      let loop = try #require(table.open(), "\(name)")
      defer { table.close(loop) }
      for _ in 0..<3 {
        table.stop(loop)
        table.run(loop)
      }
    }
  }

  @Test("an idle loop runs exactly the requested number of ticks")
  func idle() throws {
    for (name, table) in [
      ("libevent", cp_libevent_idle), ("libev", cp_libev_idle), ("glib", cp_glib_idle),
    ] {
      let loop = try #require(table.open(), "\(name)")
      defer { table.close(loop) }
      for (count, total) in [(1, 1), (2, 3), (1000, 1003)] as [(UInt32, UInt64)] {
        #expect(table.ticks(loop, count) > 0)
        #expect(table.ticked(loop) == total, "\(name)")
      }
    }
  }

  @Test("a set performs each target once, however often it was committed")
  func sets() throws {
    for (name, table) in [("unordered", cp_unordered_set), ("flathash", cp_flat_hash_set)] {
      let set = try #require(table.open(100), "\(name)")
      defer { table.close(set) }
      #expect(table.duplicates(set, 7) > 0)
      #expect(table.performed(set) == 100, "\(name)")
      #expect(table.first(set) > 0)
      #expect(table.performed(set) == 200, "\(name)")
    }
  }

  @Test("each pool runs each function once, and has finished when it is closed")
  func pools() throws {
    var pools = [("tbb", cp_tbb), ("asio", cp_asio_pool)]
    if let tokio = cp_rust_pool("cp_tokio_pool") { pools.append(("tokio", tokio.pointee)) }
    for (name, table) in pools {
      for _ in 0..<3 {
        let count = SharedCount()
        let pool = try #require(table.open(4), "\(name)")
        for index in 0..<3000 {
          table.add(pool, SharedCount.add, count.address, Int32(index % 3 - 1))
        }
        // A pool may be closed only after its functions have begun.
        count.wait(for: 3000)
        table.close(pool)
        #expect(count.value == 3000, "\(name)")
      }
    }
  }

  @Test("each pool that shares calls with its caller makes each call once")
  func apply() throws {
    for (name, table) in [("tbb", cp_tbb), ("tbb.group", cp_tbb_group)] {
      let pool = try #require(table.open(4), "\(name)")
      defer { table.close(pool) }
      let apply = try #require(table.apply, "\(name)")
      for calls in [0, 1, 2, 1000] as [UInt32] {
        let count = SharedCount()
        apply(pool, calls, SharedCount.add, count.address)
        #expect(count.value == Int(calls), "\(name)")
      }
    }
  }

  @Test("each armed timer is cancelled, and no pending one fires")
  func timers() throws {
    for (name, table) in [
      ("asio", cp_asio_timers), ("libevent", cp_libevent_timers), ("libev", cp_libev_timers),
      ("glib", cp_glib_timers),
    ] {
      let delays = TimerLoad.delays(of: 1000)
      let timers = try #require(table.open(delays, UInt32(delays.count)), "\(name)")
      defer { table.close(timers) }
      for total in [1000, 2000] as [UInt64] {
        #expect(table.cycle(timers, 1000) > 0)
        #expect(table.cancelled(timers) == total, "\(name)")
        #expect(table.fired(timers) == 0, "\(name)")
      }
    }
  }

  @Test("a timer of asio fires the given number of times, and never early")
  func schedule() {
    var lateness = [Int64](repeating: -1, count: 5)
    #expect(cp_asio_timer_run(cp_now() + 1_234_567, 2_000_000, &lateness, 5) == 5)
    #expect(lateness.allSatisfy { $0 >= 0 })
  }

  @Test("each peer has series of its scenario only, and another name than the other peers of it")
  func registry() {
    for scenario in PeersRegistry.registry.scenarios {
      let peers = PeersRegistry.registry.peers(of: scenario)
      #expect(Set(peers.map(\.name)).count == peers.count, "\(scenario.name)")
      #expect(Set(scenario.references).isSubset(of: peers.map(\.name)), "\(scenario.name)")
      let names = scenario.series.filter { $0.companionOf == nil }.map(\.name)
      for peer in peers { #expect(Set(peer.series).isSubset(of: names), "\(peer.name)") }
    }
  }
}
