/// Which loop each thread runs. Not retained: a loop takes itself off.
enum CurrentLoop {
  private static let slot = ThreadSlot()

  /// The calling thread's loop.
  static var value: EventLoop? {
    get { slot.address.map { Unmanaged<EventLoop>.fromOpaque($0).takeUnretainedValue() } }
    set { slot.address = newValue.map { Unmanaged.passUnretained($0).toOpaque() } }
  }

  /// Takes `loop` off, if it is the calling thread's.
  static func remove(_ loop: EventLoop) {
    if slot.address == Unmanaged.passUnretained(loop).toOpaque() { slot.address = nil }
  }
}
