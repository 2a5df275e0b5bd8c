/// The active timers of a loop, in no particular order. Retains them.
///
/// The list is linked through the timers, so adding and removing allocate
/// nothing.
struct TimerList {
  private unowned(unsafe) var first: LoopTimer?

  /// The number of active timers.
  private(set) var count = 0

  /// Adds and retains `timer`, which must not be in a list.
  mutating func add(_ timer: LoopTimer) {
    _ = Unmanaged.passRetained(timer)
    timer.previous = nil
    timer.next = first
    first?.previous = timer
    first = timer
    count += 1
  }

  /// Removes and releases `timer`, which must be in this list.
  mutating func remove(_ timer: LoopTimer) {
    timer.next?.previous = timer.previous
    if let previous = timer.previous { previous.next = timer.next } else { first = timer.next }
    timer.next = nil
    timer.previous = nil
    count -= 1
    Unmanaged.passUnretained(timer).release()
  }

  /// Any timer of the list.
  var any: LoopTimer? { first }

  /// Calls `body` with each timer. `body` must not add or remove timers.
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
