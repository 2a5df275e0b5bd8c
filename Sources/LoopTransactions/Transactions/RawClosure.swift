/// A selector's action as the compiler stores it: a function, and the object with
/// the captured values, or 0. Does not retain the object.
@usableFromInline
struct RawClosure: Sendable {
  let function: UInt
  let context: UInt

  // Passing a function as a generic value would wrap it in another closure. As
  // a property of a structure, it is stored as it is.
  private struct Plain<Target: AnyObject> { let action: @Sendable (Target) throws -> Void }
  private struct Main<Target: AnyObject> {
    let action: @MainActor @Sendable (Target) throws -> Void
  }
  private struct Isolated<Target: Actor> {
    let action: @Sendable (isolated Target) throws -> Void
  }
  private struct Carrying<Target: AnyObject, Value> {
    let action: @Sendable (Target, Value) throws -> Void
  }
  private struct MainCarrying<Target: AnyObject, Value> {
    let action: @MainActor @Sendable (Target, Value) throws -> Void
  }
  private struct IsolatedCarrying<Target: Actor, Value> {
    let action: @Sendable (isolated Target, Value) throws -> Void
  }

  @usableFromInline
  init<Target: AnyObject>(_ action: @escaping @Sendable (Target) throws -> Void) {
    self = unsafeBitCast(Plain(action: action), to: RawClosure.self)
  }

  init<Target: AnyObject>(main action: @escaping @MainActor @Sendable (Target) throws -> Void) {
    self = unsafeBitCast(Main(action: action), to: RawClosure.self)
  }

  init<Target: Actor>(isolated action: @escaping @Sendable (isolated Target) throws -> Void) {
    self = unsafeBitCast(Isolated(action: action), to: RawClosure.self)
  }

  init<Target: AnyObject, Value>(
    _ action: @escaping @Sendable (Target, Value) throws -> Void
  ) {
    self = unsafeBitCast(Carrying(action: action), to: RawClosure.self)
  }

  init<Target: AnyObject, Value>(
    main action: @escaping @MainActor @Sendable (Target, Value) throws -> Void
  ) {
    self = unsafeBitCast(MainCarrying(action: action), to: RawClosure.self)
  }

  init<Target: Actor, Value>(
    isolated action: @escaping @Sendable (isolated Target, Value) throws -> Void
  ) {
    self = unsafeBitCast(IsolatedCarrying(action: action), to: RawClosure.self)
  }
}

extension RawClosure {
  /// Whether both are the same function with equal captured values. True if
  /// values cannot be compared. Both closures must be alive.
  func isSame(as other: RawClosure) -> Bool {
    guard function == other.function else { return false }
    guard context != other.context else { return true }
    guard let one = ClosureContext(context), let other = ClosureContext(other.context) else {
      return false
    }
    return one.isSame(as: other)
  }
}

/// The object with the captured values of a closure.
///
/// Its layout is part of Swift's ABI, and described in the program for debuggers
/// (`CaptureDescriptor` in `swift/RemoteInspection/Records.h`): a header, the
/// metadata of captured type parameters, and the values.
private struct ClosureContext {
  let address: UnsafeRawPointer

  init?(_ context: UInt) {
    guard let address = UnsafeRawPointer(bitPattern: context) else { return nil }
    self.address = address
  }

  private var metadata: UnsafeRawPointer { address.load(as: UnsafeRawPointer.self) }

  func isSame(as other: ClosureContext) -> Bool {
    // A closure that captures one object has that object as its context. Another
    // object is another capture.
    let contextKind = 0x400
    guard metadata == other.metadata, metadata.load(as: Int.self) == contextKind else {
      return false
    }
    guard let captures = metadata.load(fromByteOffset: 16, as: UnsafeRawPointer?.self) else {
      return true  // Compiled with -disable-reflection-metadata.
    }
    let typeCount = Int(captures.load(as: UInt32.self))
    let metadataCount = Int(captures.load(fromByteOffset: 8, as: UInt32.self))
    var offset = 16 + 8 * metadataCount
    guard hasSameBytes(as: other, 16..<offset) else { return false }
    for index in 0..<typeCount {
      // Only the type parameter of a function with one parameter is known.
      let parameter = metadataCount == 1 ? address.load(fromByteOffset: 16, as: UInt.self) : 0
      let type = CapturedType(of: captures + 12 + 4 * index, parameter: parameter)
      guard let layout = type.layout else { return true }
      offset = (offset + layout.alignment - 1) & -layout.alignment
      let bytes = offset..<offset + layout.size
      guard hasSameBytes(as: other, bytes) || isEqual(to: other, at: offset, type) else {
        return false
      }
      offset = bytes.upperBound
    }
    return true
  }

  private func hasSameBytes(as other: ClosureContext, _ bytes: Range<Int>) -> Bool {
    bytes.allSatisfy {
      address.load(fromByteOffset: $0, as: UInt8.self)
        == other.address.load(fromByteOffset: $0, as: UInt8.self)
    }
  }

  private func isEqual(to other: ClosureContext, at offset: Int, _ type: CapturedType) -> Bool {
    switch type {
    case .function:
      (address + offset).load(as: RawClosure.self)
        .isSame(as: (other.address + offset).load(as: RawClosure.self))
    case .value(let type):
      areEqual(address + offset, other.address + offset, type)
    case .unknown: true
    }
  }
}

/// Whether the values at two addresses, which differ in their bytes, are equal or
/// cannot be compared. Only values of known types without references are read.
/// Another value may be stored in a way that its type does not show, such as a
/// weak reference.
private func areEqual<Value>(
  _ one: UnsafeRawPointer,
  _ other: UnsafeRawPointer,
  _ type: Value.Type
) -> Bool {
  if type == String.self { return one.load(as: String.self) == other.load(as: String.self) }
  if type is AnyObject.Type || type == Any.Type.self { return false }
  guard _isPOD(type), let value = one.load(as: Value.self) as? any Equatable else { return true }
  return value.isEqual(to: other.load(as: Value.self))
}

extension Equatable {
  fileprivate func isEqual(to other: Any) -> Bool { self == other as? Self }
}

/// The type of a captured value.
private enum CapturedType {
  case value(Any.Type)
  case function
  /// A type that needs the type parameters of the closure's function.
  case unknown

  /// Reads the type of the capture whose description is at `record`.
  init(of record: UnsafeRawPointer, parameter: UInt) {
    let name = (record + Int(record.load(as: Int32.self))).assumingMemoryBound(to: UInt8.self)
    var count = 0
    // Bytes below 0x20 begin a reference of 4 or 8 bytes.
    while name[count] != 0 {
      count += name[count] < 0x18 ? 5 : name[count] < 0x20 ? 9 : 1
    }
    // "x" is the first type parameter, "q_" the second one. Functions as stored
    // end with an underscore, too.
    if parameter != 0, count == 1, name[0] == UInt8(ascii: "x") {
      self = .value(unsafeBitCast(parameter, to: Any.Type.self))
    } else if count > 0, name[0] != UInt8(ascii: "q"), name[count - 1] == UInt8(ascii: "_") {
      self = .function
    } else if let type = _getTypeByMangledNameInContext(
      name,
      UInt(count),
      genericContext: nil,
      genericArguments: nil
    ) {
      self = .value(type)
    } else {
      self = .unknown
    }
  }

  var layout: (size: Int, alignment: Int)? {
    switch self {
    case .value(let type): Self.layout(type)
    case .function: Self.layout(RawClosure.self)
    case .unknown: nil
    }
  }

  private static func layout<Value>(_ type: Value.Type) -> (size: Int, alignment: Int) {
    (MemoryLayout<Value>.size, MemoryLayout<Value>.alignment)
  }
}
