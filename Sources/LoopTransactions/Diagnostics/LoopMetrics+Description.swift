extension LoopMetrics: CustomStringConvertible {
  /// Every counter with its name. Times say "not measured" unless
  /// `EventLoop.measuresTime` was true.
  public var description: String {
    let counts: [(String, UInt64)] = [
      ("ticks", ticks), ("flushes", flushes), ("performed", performed), ("coalesced", coalesced),
      ("dead", dead), ("cancelled", cancelled), ("posts", posts), ("delivered", delivered),
      ("carriedOver", carriedOver), ("wakesSent", wakesSent), ("wakesReceived", wakesReceived),
      ("wakesNeeded", wakesNeeded), ("pendingTransactions", pendingTransactions),
      ("pendingPosts", pendingPosts), ("pendingElements", pendingElements),
    ]
    let isMeasured = busy + idle > .zero
    let times = [("busy", busy), ("idle", idle), ("longestTick", longestTick)].map { name, time in
      "\(name): " + (isMeasured ? "\(time)" : "not measured")
    }
    return (counts.map { "\($0): \($1)" } + times).joined(separator: ", ")
  }
}
