/// What is on its way to a loop, and which loops wait until it is less.
///
/// Publishers may be faster than those they tell: what a loop has not delivered yet
/// would grow without end.
struct Backlog {
  /// Above this, who published waits; down to half of it.
  let most: Int
  private(set) var bytes = 0
  private var waiting: Set<Int> = []

  init(most: Int) { self.most = most }

  /// Adds a message that the loop `publisher` sends; whether that is to wait. Then
  /// `didDeliver` names it once.
  mutating func add(_ count: Int, from publisher: Int) -> Bool {
    bytes += count
    guard bytes > most else { return false }
    waiting.insert(publisher)
    return true
  }

  /// A message has come; which loops wait no more.
  mutating func didDeliver(_ count: Int) -> Set<Int> {
    bytes -= count
    assert(bytes >= 0, "Backlog: what comes was sent")
    guard bytes <= most / 2 else { return [] }
    defer { waiting = [] }
    return waiting
  }
}
