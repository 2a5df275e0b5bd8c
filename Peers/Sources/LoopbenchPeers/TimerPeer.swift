import CPeers
import LoopbenchKit

/// `timer` on a loop in C++.
struct TimerPeer: Peer {
  let name: String
  let scenario = "timer"
  let series: [String]
  let isReference = true
  let summary: String
  let table: cp_timers

  private static let pending = ["pending.1k", "pending.100k"]

  static let asio = TimerPeer(
    name: "asio",
    series: ["lateness"] + pending,
    summary: "C++ on Boost.Asio: a steady_timer, set again for each due time, or cancelled",
    table: cp_asio_timers
  )
  static let libevent = TimerPeer(
    name: "libevent",
    series: pending,
    summary: "C++ on libevent: event_add and event_del of one event",
    table: cp_libevent_timers
  )
  static let libev = TimerPeer(
    name: "libev",
    series: pending,
    summary: "C++ on libev: ev_timer_start and ev_timer_stop of one watcher",
    table: cp_libev_timers
  )
  static let glib = TimerPeer(
    name: "glib",
    series: pending,
    summary: "C++ on GLib: a timeout source, attached and destroyed",
    table: cp_glib_timers
  )

  func measure(_ slice: inout Slice) throws(PeerError) {
    guard let count = TimerLoad.pendingTimers(of: slice) else { return try follow(&slice) }
    guard let timers = table.open(TimerLoad.delays(of: count), UInt32(count)) else {
      throw PeerError("\(name) could not open a loop")
    }
    defer { table.close(timers) }
    slice.sample { table.cycle(timers, UInt32($0)) }
  }

  /// Follows schedules on an io_context.
  private func follow(_ slice: inout Slice) throws(PeerError) {
    try TimerLoad.measure(&slice) { (first, count) throws(PeerError) in
      var lateness = [Int64](repeating: 0, count: count)
      let fired = cp_asio_timer_run(first, TimerLoad.interval, &lateness, UInt32(count))
      guard fired == count else { throw PeerError("\(name) fired only \(fired) of \(count) times") }
      return lateness
    }
  }
}
