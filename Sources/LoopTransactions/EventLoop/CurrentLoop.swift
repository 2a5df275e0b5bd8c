/// The current loop of each thread. Not retained, because a loop removes
/// itself.
enum CurrentLoop {
  private static let slot = ThreadSlot()

  /// The calling thread's loop.
  static var value: EventLoop? {
    get {
      guard let address = slot.address else { return nil }
      let loop = Unmanaged<EventLoop>.fromOpaque(address).takeUnretainedValue()
      // A stepped loop may have moved to another thread.
      return loop.core.isOnThread ? loop : nil
    }
    set { slot.address = newValue.map { Unmanaged.passUnretained($0).toOpaque() } }
  }

  /// Removes `loop` if it is the calling thread's.
  static func remove(_ loop: EventLoop) {
    if slot.address == Unmanaged.passUnretained(loop).toOpaque() { slot.address = nil }
  }
}
