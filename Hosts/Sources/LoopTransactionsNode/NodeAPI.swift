private import CNodeHost

// Calls of Node-API that need no host.

/// Throws an error if a call of Node-API failed: JavaScript's exception, if there is one.
func check(
  _ status: UInt32,
  _ environment: OpaquePointer,
  _ operation: StaticString = #function
) throws(NodeError) {
  if _fastPath(status == 0) { return }
  throw takeException(environment)
    ?? NodeError("\(operation): Node-API returned status \(status)", code: "ERR_NODE_API")
}

/// Makes JavaScript's call of the addon throw `error`.
func throwToJavaScript(_ error: NodeError, _ environment: OpaquePointer) {
  // `try?`: fails only if JavaScript cannot run any more.
  guard let error = try? makeError(error, environment) else { return }
  lt_napi_throw(environment, error)
}

func makeString(_ text: String, _ environment: OpaquePointer) throws(NodeError) -> OpaquePointer? {
  var text = text
  var result: OpaquePointer?
  let status = text.withUTF8 { bytes in
    bytes.withMemoryRebound(to: CChar.self) {
      lt_napi_create_string_utf8(environment, $0.baseAddress, $0.count, &result)
    }
  }
  try check(status, environment)
  return result
}

func makeError(
  _ error: NodeError,
  _ environment: OpaquePointer
) throws(NodeError) -> OpaquePointer? {
  let message = try makeString(error.message, environment)
  var code: OpaquePointer?
  if let text = error.code { code = try makeString(text, environment) }
  var result: OpaquePointer?
  if error.name == "TypeError" {
    try check(lt_napi_create_type_error(environment, code, message, &result), environment)
    return result
  }
  try check(lt_napi_create_error(environment, code, message, &result), environment)
  if error.name != "Error" {
    let name = try makeString(error.name, environment)
    try setProperty("name", of: result, to: name, environment)
  }
  return result
}

func setProperty(
  _ name: String,
  of object: OpaquePointer?,
  to value: OpaquePointer?,
  _ environment: OpaquePointer
) throws(NodeError) {
  let key = try makeString(name, environment)
  try check(lt_napi_set_property(environment, object, key, value), environment)
}

/// Returns the `napi_valuetype`.
func type(
  of value: OpaquePointer?,
  _ environment: OpaquePointer
) throws(NodeError) -> UInt32 {
  var result = lt_napi_valuetype()
  try check(lt_napi_typeof(environment, value, &result), environment)
  return result
}

func readString(
  _ value: OpaquePointer?,
  _ environment: OpaquePointer
) throws(NodeError) -> String {
  var length = 0
  try check(lt_napi_get_value_string_utf8(environment, value, nil, 0, &length), environment)
  // One more, because Node-API adds a 0.
  var text = [CChar](repeating: 0, count: length + 1)
  try check(
    lt_napi_get_value_string_utf8(environment, value, &text, length + 1, &length),
    environment
  )
  return text.withUnsafeBytes { String(decoding: $0.prefix(length), as: UTF8.self) }
}

/// Returns JavaScript's exception, which it forgets, or nil if there is none.
private func takeException(_ environment: OpaquePointer) -> NodeError? {
  var isPending = false
  lt_napi_is_exception_pending(environment, &isPending)
  guard isPending else { return nil }
  var value: OpaquePointer?
  lt_napi_get_and_clear_last_exception(environment, &value)
  guard let message = property("message", of: value, environment) else {
    let text = try? readString(value, environment)
    return NodeError(text ?? "JavaScript threw a value that is no error")
  }
  return NodeError(
    message,
    name: property("name", of: value, environment) ?? "Error",
    code: property("code", of: value, environment)
  )
}

/// Returns a property that is a string.
private func property(
  _ name: String,
  of object: OpaquePointer?,
  _ environment: OpaquePointer
) -> String? {
  // `try?`: a value without the property, or without properties.
  guard (try? type(of: object, environment)) == lt_napi_object,
    let key = try? makeString(name, environment)
  else { return nil }
  var value: OpaquePointer?
  guard lt_napi_get_property(environment, object, key, &value) == 0 else {
    // A getter may throw, too.
    lt_napi_get_and_clear_last_exception(environment, &value)
    return nil
  }
  return try? readString(value, environment)
}
