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

  // `closure` is one of the structs above.
  @inline(__always)
  private init<Closure>(bitsOf closure: Closure) {
    self = unsafeBitCast(closure, to: RawClosure.self)
  }

  @usableFromInline
  init<Target: AnyObject>(_ action: @escaping @Sendable (Target) throws -> Void) {
    self.init(bitsOf: Plain(action: action))
  }

  init<Target: AnyObject>(main action: @escaping @MainActor @Sendable (Target) throws -> Void) {
    self.init(bitsOf: Main(action: action))
  }

  init<Target: Actor>(isolated action: @escaping @Sendable (isolated Target) throws -> Void) {
    self.init(bitsOf: Isolated(action: action))
  }

  init<Target: AnyObject, Value>(
    _ action: @escaping @Sendable (Target, Value) throws -> Void
  ) {
    self.init(bitsOf: Carrying(action: action))
  }

  init<Target: AnyObject, Value>(
    main action: @escaping @MainActor @Sendable (Target, Value) throws -> Void
  ) {
    self.init(bitsOf: MainCarrying(action: action))
  }

  init<Target: Actor, Value>(
    isolated action: @escaping @Sendable (isolated Target, Value) throws -> Void
  ) {
    self.init(bitsOf: IsolatedCarrying(action: action))
  }
}

extension RawClosure {
  /// Whether both are the same function with equal captured values. True if
  /// values cannot be compared. Both closures must be alive.
  func isSame(as other: RawClosure) -> Bool { isSame(as: other, depth: 0) }

  // A closure can capture itself through a variable, so the depth is limited.
  fileprivate func isSame(as other: RawClosure, depth: Int) -> Bool {
    guard function == other.function else { return false }
    guard context != other.context, depth < 8 else { return true }
    guard let one = ClosureContext(context), let other = ClosureContext(other.context) else {
      return false
    }
    return one.isSame(as: other, depth: depth)
  }
}

/// The object with the captured values of a closure.
///
/// Its layout is part of Swift's ABI, and described in the program for debuggers
/// (`CaptureDescriptor` in `swift/RemoteInspection/Records.h`): a header, the
/// metadata and witness tables of captured type parameters, and the values.
private struct ClosureContext {
  let address: UnsafeRawPointer

  init?(_ context: UInt) {
    guard let address = UnsafeRawPointer(bitPattern: context) else { return nil }
    self.address = address
  }

  private var metadata: UnsafeRawPointer { address.load(as: UnsafeRawPointer.self) }

  func isSame(as other: ClosureContext, depth: Int) -> Bool {
    guard metadata == other.metadata else { return false }
    let contextKind = 0x400
    let kind = metadata.load(as: Int.self)
    guard kind == contextKind else {
      // A closure that captures one object has that object as its context. The
      // standard library's objects, such as the elements of an array, can be
      // equal, and so can errors.
      let isClass = kind == 0 || kind > 0x7ff
      return !isClass || _typeName(unsafeBitCast(metadata, to: Any.Type.self)).hasPrefix("Swift.")
    }
    guard let address = metadata.load(fromByteOffset: 16, as: UnsafeRawPointer?.self) else {
      return true  // Compiled with -disable-reflection-metadata.
    }
    let captures = CaptureDescriptor(address: address)
    var offset = 16 + 8 * captures.bindingCount
    guard hasSameBytes(as: other, 16..<offset) else { return false }
    for index in 0..<captures.typeCount {
      let type = captures.type(at: index, firstBinding: (self.address + 16).load(as: UInt.self))
      guard let layout = type.layout else { return true }
      offset = (offset + layout.alignment - 1) & -layout.alignment
      let bytes = offset..<offset + layout.size
      guard
        hasSameBytes(as: other, bytes)
          || type.isEqual(self.address + offset, other.address + offset, depth: depth)
      else { return false }
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
}

extension Equatable {
  private func isEqual(to other: Any) -> Bool { self == other as? Self }

  fileprivate static func areEqual(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer) -> Bool {
    // The cast of a value, unlike the one of its type, fails if the conformance is
    // isolated to an actor on which the caller is not.
    guard let value = one.load(as: Self.self) as Any as? any Equatable else { return true }
    return value.isEqual(to: other.load(as: Self.self))
  }
}

/// The description of a context: four counts and offsets of 4 bytes, the types of
/// the captured values, and where the type parameters come from.
private struct CaptureDescriptor {
  let address: UnsafeRawPointer

  var typeCount: Int { count(at: 0) }
  private var sourceCount: Int { count(at: 4) }
  var bindingCount: Int { count(at: 8) }

  private func count(at offset: Int) -> Int {
    Int(address.load(fromByteOffset: offset, as: UInt32.self))
  }

  /// The type of a captured value. `firstBinding` is the first word behind the
  /// context's header.
  func type(at index: Int, firstBinding: UInt) -> CapturedType {
    let name = MangledName(at: address + 12 + 4 * index)
    guard bindingCount > 0 else { return CapturedType(name) }
    // Other names may contain type parameters, and the runtime ends the process
    // if it cannot resolve some of them.
    if name.isSimple { return CapturedType(name) }
    guard name.isFirstParameter, isFirstParameterFirstBinding else { return .unknown }
    return .value(unsafeBitCast(firstBinding, to: Any.Type.self))
  }

  /// Whether the function has one type parameter, whose metadata is the first
  /// word behind the header. It could also come from a captured object.
  private var isFirstParameterFirstBinding: Bool {
    guard bindingCount == 1, sourceCount == 1 else { return false }
    let record = address + 12 + 4 * typeCount
    return MangledName(at: record).isFirstParameter
      && MangledName(at: record + 4).text == "B0"
  }
}

/// The mangled name of a type.
private struct MangledName {
  let start: UnsafePointer<UInt8>
  let count: Int

  /// Reads the name to which the offset at `record` points.
  init(at record: UnsafeRawPointer) {
    start = (record + Int(record.load(as: Int32.self))).assumingMemoryBound(to: UInt8.self)
    var count = 0
    // Bytes below 0x20 begin a reference of 4 or 8 bytes.
    while start[count] != 0 {
      count += start[count] < 0x18 ? 5 : start[count] < 0x20 ? 9 : 1
    }
    self.count = count
  }

  var text: String {
    String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  var isFirstParameter: Bool { text == "x" }

  /// Whether the name is a type of the standard library, such as `Si`, or
  /// one reference to the description of a type that is not generic.
  var isSimple: Bool {
    count == 2 && start[0] == UInt8(ascii: "S") || count == 5 && (1...2).contains(start[0])
  }

  /// Whether the name is a stored function's. Such a name ends with `I`, letters
  /// for the function's conventions, and an underscore.
  var isFunction: Bool {
    guard count > 0, start[count - 1] == UInt8(ascii: "_") else { return false }
    guard let index = (0..<count - 1).last(where: { start[$0] == UInt8(ascii: "I") }) else {
      return false
    }
    // "eg": escaping, with a context. A C function has none.
    return (index + 1..<count - 1).lazy.map { start[$0] }.starts(with: "eg".utf8)
  }

  /// Whether the name ends with `Xw`, `Xo` or `Xu`, for a weak or an unowned
  /// reference.
  var isReference: Bool {
    count > 2 && start[count - 2] == UInt8(ascii: "X")
      && "wou".utf8.contains(start[count - 1])
  }
}

/// The type of a captured value.
private enum CapturedType {
  case value(Any.Type)
  /// A weak or an unowned reference.
  case reference(Any.Type)
  case function
  /// A type that cannot be read.
  case unknown

  init(_ name: MangledName) {
    if name.isFunction {
      self = .function
    } else if name.count > 0, name.start[name.count - 1] == UInt8(ascii: "_") {
      self = .unknown
    } else if let type = _getTypeByMangledNameInContext(
      name.start,
      UInt(name.count),
      genericContext: nil,
      genericArguments: nil
    ) {
      self = name.isReference ? .reference(type) : .value(type)
    } else {
      self = .unknown
    }
  }

  var layout: (size: Int, alignment: Int)? {
    switch self {
    case .value(let type), .reference(let type): Self.layout(type)
    case .function: Self.layout(RawClosure.self)
    case .unknown: nil
    }
  }

  private static func layout<Value>(_ type: Value.Type) -> (size: Int, alignment: Int) {
    (MemoryLayout<Value>.size, MemoryLayout<Value>.alignment)
  }

  /// Whether the values at two addresses, which differ in their bytes, are equal
  /// or cannot be compared.
  func isEqual(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer, depth: Int) -> Bool {
    switch self {
    case .function:
      one.load(as: RawClosure.self).isSame(as: other.load(as: RawClosure.self), depth: depth + 1)
    case .value(let type), .reference(let type):
      if type is AnyObject.Type { false } else { areEqual(one, other, type) }
    case .unknown: true
    }
  }

  private func areEqual(
    _ one: UnsafeRawPointer,
    _ other: UnsafeRawPointer,
    _ type: Any.Type
  ) -> Bool {
    // A reference is not stored as its type tells.
    guard case .value = self, let type = type as? any Equatable.Type else { return true }
    return type.areEqual(one, other)
  }
}
