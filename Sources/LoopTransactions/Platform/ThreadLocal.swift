import CUV

/// An object for each thread, nil at first. Not retained.
struct ThreadLocal<Object: AnyObject>: @unchecked Sendable {
  // @unchecked: the key is made once, and is only an index afterwards.
  private let key = UnsafeMutablePointer<uv_key_t>.allocate(capacity: 1)

  /// Makes the slot, which is never given back.
  init() {
    guard uv_key_create(key) == 0 else {
      fatalError("ThreadLocal: the process has no thread-local key left")
    }
  }

  /// The calling thread's object.
  var value: Object? {
    get { uv_key_get(key).map { Unmanaged<Object>.fromOpaque($0).takeUnretainedValue() } }
    nonmutating set {
      uv_key_set(key, newValue.map { Unmanaged.passUnretained($0).toOpaque() })
    }
  }

  /// Whether `object` is the calling thread's. Does not retain it.
  func holds(_ object: Object) -> Bool {
    uv_key_get(key) == Unmanaged.passUnretained(object).toOpaque()
  }
}
