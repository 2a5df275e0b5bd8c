// Objects as addresses, for the words of tables and posted items, and for the
// pointers of libuv and of thread slots. All conversions have one contract:
//
// - An address does not count as a reference. Code that converts an address
//   back to an object knows a reference that keeps the object alive.
// - An address made by `init(retaining:)` owns such a reference. The code that
//   takes over or releases the object of that address does so once.
// - The class named at a conversion is the object's class or a superclass.
//   Nothing checks this.

extension UnsafeMutableRawPointer {
  /// The address of `object`, which is not retained.
  @inline(__always)
  init(addressOf object: AnyObject) { self = Unmanaged.passUnretained(object).toOpaque() }

  /// The address of `object`. Owns a reference to it.
  @inline(__always)
  init(retaining object: AnyObject) { self = Unmanaged.passRetained(object).toOpaque() }

  /// The object at this address.
  @inline(__always)
  func object<Object: AnyObject>(as type: Object.Type) -> Object {
    UnsafeRawPointer(self).object(as: type)
  }
}

extension UnsafeRawPointer {
  /// The object at this address.
  @inline(__always)
  func object<Object: AnyObject>(as type: Object.Type) -> Object {
    Unmanaged<Object>.fromOpaque(self).takeUnretainedValue()
  }
}

extension UInt {
  /// The address of `object`, which is not retained.
  @inlinable
  @inline(__always)
  init(addressOf object: AnyObject) {
    self.init(bitPattern: Unmanaged.passUnretained(object).toOpaque())
  }

  /// The address of `object`. Owns a reference to it.
  @inline(__always)
  init(retaining object: AnyObject) {
    self.init(bitPattern: UnsafeMutableRawPointer(retaining: object))
  }
}

extension Unmanaged {
  /// The object at `address`, which must not be 0.
  @inline(__always)
  static func at(_ address: UInt) -> Unmanaged {
    .fromOpaque(UnsafeRawPointer(bitPattern: address).unsafelyUnwrapped)
  }

  /// The object at `address`, or nil if the address is 0.
  @inline(__always)
  static func ifAny(at address: UInt) -> Unmanaged? {
    UnsafeRawPointer(bitPattern: address).map { .fromOpaque($0) }
  }
}

/// Objects of any class that are identified by their address.
enum KeyedObject {
  /// The object at `address`, which must not be 0.
  @inline(__always)
  static func at(_ address: UInt) -> Unmanaged<AnyObject> { .at(address) }

  /// Retains `object`, for an entry that keeps its address.
  @inline(__always)
  static func retain(_ object: AnyObject) { _ = Unmanaged.passRetained(object) }
}
