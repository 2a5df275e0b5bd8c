/// The active timers of a loop, in no particular order. Retains them.
///
/// The list is linked through the timers, so adding and removing allocate
/// nothing.
struct TimerList {
  private var first: Unmanaged<LoopTimer>?

  /// The number of active timers.
  private(set) var count = 0

  /// Adds and retains `timer`, which must not be in a list.
  mutating func add(_ timer: LoopTimer) {
    let added = Unmanaged.passRetained(timer)
    timer.previous = nil
    timer.next = first
    first?._withUnsafeGuaranteedRef { $0.previous = added }
    first = added
    count += 1
  }

  /// Removes and releases `timer`, which must be in this list.
  mutating func remove(_ timer: LoopTimer) {
    let (previous, next) = (timer.previous, timer.next)
    next?._withUnsafeGuaranteedRef { $0.previous = previous }
    if let previous {
      previous._withUnsafeGuaranteedRef { $0.next = next }
    } else {
      first = next
    }
    timer.next = nil
    timer.previous = nil
    count -= 1
    Unmanaged.passUnretained(timer).release()
  }

  /// Any timer of the list.
  var any: LoopTimer? { first?.takeUnretainedValue() }

  /// Calls `body` with each timer. `body` must not add or remove timers.
  func forEach(_ body: (LoopTimer) -> Void) {
    var timer = first
    while let current = timer?.takeUnretainedValue() {
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
