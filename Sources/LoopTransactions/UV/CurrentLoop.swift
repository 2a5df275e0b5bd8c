import CUV

/// Which loop each thread runs. Not retained: a loop takes itself off.
enum CurrentLoop {
  private struct Key: @unchecked Sendable {
    // @unchecked: the key is made once, and is only an index afterwards.
    let pointer = UnsafeMutablePointer<uv_key_t>.allocate(capacity: 1)

    init() {
      guard uv_key_create(pointer) == 0 else {
        fatalError("EventLoop.current: the process has no thread-local key left")
      }
    }
  }

  private static let key = Key()

  /// The calling thread's loop.
  static var value: EventLoop? {
    get {
      guard let address = uv_key_get(key.pointer) else { return nil }
      return Unmanaged<EventLoop>.fromOpaque(address).takeUnretainedValue()
    }
    set { uv_key_set(key.pointer, newValue.map { Unmanaged.passUnretained($0).toOpaque() }) }
  }

  /// Takes `loop` off, if it is the calling thread's.
  static func remove(_ loop: EventLoop) {
    guard uv_key_get(key.pointer) == Unmanaged.passUnretained(loop).toOpaque() else { return }
    uv_key_set(key.pointer, nil)
  }
}
