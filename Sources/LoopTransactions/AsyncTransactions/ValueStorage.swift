/// Memory for one value of a type that the owner knows, without that type in the
/// layout.
///
/// A stored `Value?` or `Outcome<Value>` of a generic class makes the runtime
/// look up the metadata of that enum wherever it is used, which takes about 280
/// instructions each time.
struct ValueStorage: ~Copyable {
  /// Whether the memory has a value. The owner takes or destroys it.
  private(set) var isFull = false
  private var words: (UInt, UInt, UInt) = (0, 0, 0)

  /// Whether a value is stored in place, and not in memory of its own.
  @inline(__always)
  private static func isInline<Value>(_ type: Value.Type) -> Bool {
    MemoryLayout<Value>.size <= MemoryLayout<(UInt, UInt, UInt)>.size
      && MemoryLayout<Value>.alignment <= MemoryLayout<UInt>.alignment
  }

  /// The memory for a value. Valid while the storage is not moved.
  @inline(__always)
  private mutating func address<Value>(_ type: Value.Type) -> UnsafeMutableRawPointer {
    if Self.isInline(type) {
      return withUnsafeMutablePointer(to: &words) { UnsafeMutableRawPointer($0) }
    }
    if words.0 == 0 {
      let memory = UnsafeMutableRawPointer.allocate(
        byteCount: MemoryLayout<Value>.size,
        alignment: MemoryLayout<Value>.alignment
      )
      words.0 = UInt(bitPattern: memory)
    }
    return UnsafeMutableRawPointer(bitPattern: words.0).unsafelyUnwrapped
  }

  @inline(__always)
  private mutating func free<Value>(_ type: Value.Type) {
    isFull = false
    guard !Self.isInline(type) else { return }
    UnsafeMutableRawPointer(bitPattern: words.0)?.deallocate()
    words.0 = 0
  }

  /// Stores the value that `body` returns. Call while the storage is empty.
  @inline(__always)
  mutating func fill<Value>(_ body: () throws -> Value) rethrows {
    assert(!isFull, "ValueStorage: filled twice")
    let value = try body()
    address(Value.self).initializeMemory(as: Value.self, to: value)
    isFull = true
  }

  /// Returns the value and empties the storage. Call while it is full.
  @inline(__always)
  mutating func take<Value>(_ type: Value.Type) -> Value {
    assert(isFull, "ValueStorage: taken while empty")
    defer { free(type) }
    return address(type).assumingMemoryBound(to: Value.self).move()
  }

  /// Destroys the value, if there is one.
  @inline(__always)
  mutating func clear<Value>(_ type: Value.Type) {
    guard isFull else { return }
    address(type).assumingMemoryBound(to: Value.self).deinitialize(count: 1)
    free(type)
  }
}
