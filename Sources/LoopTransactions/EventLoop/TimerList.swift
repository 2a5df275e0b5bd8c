/// The active timers of a loop, each kept alive, in no order.
///
/// Linked through the timers themselves: adding and removing cost a few moves
/// and no memory.
struct TimerList {
  private unowned(unsafe) var first: LoopTimer?

  /// How many timers are active.
  private(set) var count = 0

  /// Keeps `timer`, which is in no list.
  mutating func add(_ timer: LoopTimer) {
    _ = Unmanaged.passRetained(timer)
    timer.previous = nil
    timer.next = first
    first?.previous = timer
    first = timer
    count += 1
  }

  /// Lets go of `timer`, which is in this list.
  mutating func remove(_ timer: LoopTimer) {
    timer.next?.previous = timer.previous
    if let previous = timer.previous { previous.next = timer.next } else { first = timer.next }
    timer.next = nil
    timer.previous = nil
    count -= 1
    Unmanaged.passUnretained(timer).release()
  }

  /// A timer of the list.
  var any: LoopTimer? { first }

  /// Calls `body` with each timer; it adds and removes none.
  func forEach(_ body: (LoopTimer) -> Void) {
    var timer = first
    while let current = timer {
      body(current)
      timer = current.next
    }
  }

  /// The addresses of the timers' libuv handles.
  var addresses: [UnsafeMutableRawPointer] {
    var found: [UnsafeMutableRawPointer] = []
    forEach { if let address = $0.address { found.append(address) } }
    return found
  }
}
