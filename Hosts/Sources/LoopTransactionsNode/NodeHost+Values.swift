private import CNodeHost

// Copies values in both directions. Each function is called within a handle scope.
extension NodeHost {
  // 64 is deeper than data is in practice. An object that contains itself has no end.
  private static let maxDepth = 64

  /// Makes a JavaScript value.
  func make(_ value: NodeValue) throws(NodeError) -> OpaquePointer? {
    var result: OpaquePointer?
    switch value {
    case .undefined: try check(lt_napi_get_undefined(environment, &result), environment)
    case .null: try check(lt_napi_get_null(environment, &result), environment)
    case .boolean(let value):
      try check(lt_napi_get_boolean(environment, value, &result), environment)
    case .number(let value):
      try check(lt_napi_create_double(environment, value, &result), environment)
    case .string(let value): return try makeString(value, environment)
    case .bytes(let value):
      try check(
        lt_napi_create_buffer_copy(environment, value.count, value, nil, &result),
        environment
      )
    case .array(let values): return try makeArray(values)
    case .object(let properties): return try makeObject(properties)
    case .function(let function): return try self.value(of: function)
    case .promise(let promise): return try self.value(of: promise)
    }
    return result
  }

  /// Makes an `Error`.
  func make(_ error: NodeError) throws(NodeError) -> OpaquePointer? {
    try makeError(error, environment)
  }

  /// Returns the function, which must be this environment's.
  func value(of function: NodeFunction) throws(NodeError) -> OpaquePointer? {
    guard function.link === link else { throw Self.foreign("function") }
    return try value(of: references[function.number])
  }

  private func value(of promise: NodePromise) throws(NodeError) -> OpaquePointer? {
    guard promise.link === link else { throw Self.foreign("promise") }
    return try value(of: promises[promise.number]?.reference)
  }

  private func value(of reference: OpaquePointer?) throws(NodeError) -> OpaquePointer? {
    var result: OpaquePointer?
    try check(lt_napi_get_reference_value(environment, reference, &result), environment)
    return result
  }

  private static func foreign(_ kind: String) -> NodeError {
    .wrongType("the \(kind) belongs to another JavaScript environment")
  }

  private func makeArray(_ values: [NodeValue]) throws(NodeError) -> OpaquePointer? {
    var result: OpaquePointer?
    try check(lt_napi_create_array_with_length(environment, values.count, &result), environment)
    for (index, value) in values.enumerated() {
      try check(
        lt_napi_set_element(environment, result, UInt32(index), try make(value)),
        environment
      )
    }
    return result
  }

  private func makeObject(_ properties: [String: NodeValue]) throws(NodeError) -> OpaquePointer? {
    var result: OpaquePointer?
    try check(lt_napi_create_object(environment, &result), environment)
    for (name, value) in properties {
      try setProperty(name, of: result, to: try make(value), environment)
    }
    return result
  }
}

// MARK: From JavaScript

extension NodeHost {
  /// Copies a JavaScript value.
  func read(_ value: OpaquePointer?, depth: Int = 0) throws(NodeError) -> NodeValue {
    switch try type(of: value, environment) {
    case lt_napi_undefined: return .undefined
    case lt_napi_null: return .null
    case lt_napi_boolean:
      var result = false
      try check(lt_napi_get_value_bool(environment, value, &result), environment)
      return .boolean(result)
    case lt_napi_number:
      var result = 0.0
      try check(lt_napi_get_value_double(environment, value, &result), environment)
      return .number(result)
    case lt_napi_string: return .string(try readString(value, environment))
    case lt_napi_function: return .function(try readFunction(value))
    case lt_napi_object:
      guard depth < Self.maxDepth else {
        throw .wrongType("the object has more than \(Self.maxDepth) levels, or contains itself")
      }
      return try readObject(value, depth)
    default: throw .wrongType("a symbol, a BigInt or an external value cannot be copied")
    }
  }

  private func readFunction(_ value: OpaquePointer?) throws(NodeError) -> NodeFunction {
    var reference: OpaquePointer?
    try check(lt_napi_create_reference(environment, value, 1, &reference), environment)
    let number = nextNumber()
    references[number] = reference
    return NodeFunction(link: link, number: number)
  }

  private func readObject(_ value: OpaquePointer?, _ depth: Int) throws(NodeError) -> NodeValue {
    var isKind = false
    try check(lt_napi_is_array(environment, value, &isKind), environment)
    if isKind { return .array(try readArray(value, depth)) }
    try check(lt_napi_is_typedarray(environment, value, &isKind), environment)
    if isKind { return .bytes(try readBytes(value)) }
    var properties: [String: NodeValue] = [:]
    var names: OpaquePointer?
    try check(lt_napi_get_property_names(environment, value, &names), environment)
    try forEachElement(of: names) { (name) throws(NodeError) in
      let text = try readString(name, environment)
      var property: OpaquePointer?
      try check(lt_napi_get_property(environment, value, name, &property), environment)
      properties[text] = try read(property, depth: depth + 1)
    }
    return .object(properties)
  }

  private func readArray(_ value: OpaquePointer?, _ depth: Int) throws(NodeError) -> [NodeValue] {
    var result: [NodeValue] = []
    try forEachElement(of: value) { (element) throws(NodeError) in
      result.append(try read(element, depth: depth + 1))
    }
    return result
  }

  private func forEachElement(
    of array: OpaquePointer?,
    _ body: (OpaquePointer?) throws(NodeError) -> Void
  ) throws(NodeError) {
    var count: UInt32 = 0
    try check(lt_napi_get_array_length(environment, array, &count), environment)
    for index in 0..<count {
      var element: OpaquePointer?
      try check(lt_napi_get_element(environment, array, index, &element), environment)
      try body(element)
    }
  }

  private func readBytes(_ value: OpaquePointer?) throws(NodeError) -> [UInt8] {
    var type = lt_napi_typedarray_type()
    var length = 0
    var bytes: UnsafeMutableRawPointer?
    try check(
      lt_napi_get_typedarray_info(environment, value, &type, &length, &bytes, nil, nil),
      environment
    )
    guard type == lt_napi_uint8_array else {
      throw .wrongType("of the typed arrays, only a Uint8Array can be copied")
    }
    return [UInt8](UnsafeRawBufferPointer(start: bytes, count: length))
  }
}
