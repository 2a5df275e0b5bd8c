/// The published messages that a loop has not delivered yet.
///
/// Publishers can be faster than a loop's subscribers. Without a limit, the loop's
/// undelivered messages would grow without bound.
struct Backlog {
  /// The number of undelivered bytes above which publishers must wait. They
  /// continue when half of the limit has been delivered.
  let limit: Int
  private(set) var bytes = 0
  private var waitingLoops: Set<Int> = []

  init(limit: Int) { self.limit = limit }

  /// Adds a message from the loop `publisher`. If it returns true, that loop's
  /// publishers must wait until `didDeliver` returns the loop.
  mutating func add(_ count: Int, from publisher: Int) -> Bool {
    bytes += count
    guard bytes > limit else { return false }
    waitingLoops.insert(publisher)
    return true
  }

  /// Removes a delivered message. Returns the loops whose publishers can continue.
  mutating func didDeliver(_ count: Int) -> Set<Int> {
    bytes -= count
    assert(bytes >= 0, "Backlog: \(-bytes) more bytes delivered than added")
    guard bytes <= limit / 2 else { return [] }
    defer { waitingLoops = [] }
    return waitingLoops
  }
}
