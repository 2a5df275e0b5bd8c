/// Which loop each thread runs. Not retained: a loop takes itself off.
enum CurrentLoop {
  private static let slot = ThreadLocal<EventLoop>()

  /// The calling thread's loop.
  static var value: EventLoop? {
    get { slot.value }
    set { slot.value = newValue }
  }

  /// Takes `loop` off, if it is the calling thread's.
  static func remove(_ loop: EventLoop) {
    if slot.holds(loop) { slot.value = nil }
  }
}
