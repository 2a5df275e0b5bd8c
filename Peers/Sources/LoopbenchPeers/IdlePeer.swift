import CPeers
import LoopbenchKit

/// `idle` on a loop in C++.
struct IdlePeer: Peer {
  let name: String
  let scenario = "idle"
  let series = ["tick"]
  let isReference = true
  let summary: String
  let table: cp_idle

  static let libevent = IdlePeer(
    name: "libevent",
    summary: "C++ on libevent: a timer of zero, which each pass adds again",
    table: cp_libevent_idle
  )
  static let libev = IdlePeer(
    name: "libev",
    summary: "C++ on libev: an active ev_idle",
    table: cp_libev_idle
  )
  static let glib = IdlePeer(
    name: "glib",
    summary: "C++ on GLib: an idle source that stays",
    table: cp_glib_idle
  )

  func measure(_ slice: inout Slice) throws(PeerError) {
    guard let loop = table.open() else { throw PeerError("\(name) could not open a loop") }
    defer { table.close(loop) }
    slice.sample { table.ticks(loop, UInt32($0)) }
  }
}
