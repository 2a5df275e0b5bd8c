/// A JavaScript value, copied, or a reference to a function or a promise.
///
/// A value type: use it on any thread.
public enum NodeValue: Sendable {
  /// `undefined`.
  case undefined
  /// `null`.
  case null
  /// `true` or `false`.
  case boolean(Bool)
  /// A number.
  case number(Double)
  /// A string. A surrogate without its pair becomes U+FFFD.
  case string(String)
  /// The contents of a `Uint8Array`. A result becomes a `Buffer`.
  case bytes([UInt8])
  /// An array.
  case array([NodeValue])
  /// The properties of an object, which are its own or inherited, enumerable, and
  /// named by strings. An object of a class such as `Date` has none.
  case object([String: NodeValue])
  /// A function of JavaScript.
  case function(NodeFunction)
  /// A promise that a host has made. JavaScript's own promises are objects
  /// without properties.
  case promise(NodePromise)
}

extension NodeValue {
  /// The value if it is a boolean.
  public var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }

  /// The value if it is a number.
  public var number: Double? { if case .number(let value) = self { value } else { nil } }

  /// The value if it is a string.
  public var string: String? { if case .string(let value) = self { value } else { nil } }

  /// The value if it is a `Uint8Array`.
  public var bytes: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }

  /// The elements if the value is an array.
  public var array: [NodeValue]? { if case .array(let value) = self { value } else { nil } }

  /// The properties if the value is an object.
  public var object: [String: NodeValue]? {
    if case .object(let value) = self { value } else { nil }
  }

  /// The value if it is a function.
  public var function: NodeFunction? { if case .function(let value) = self { value } else { nil } }
}

extension NodeValue: ExpressibleByStringLiteral, ExpressibleByFloatLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// Creates a string.
  public init(stringLiteral value: String) { self = .string(value) }

  /// Creates a number.
  public init(floatLiteral value: Double) { self = .number(value) }

  /// Creates a number.
  public init(integerLiteral value: Int) { self = .number(Double(value)) }

  /// Creates a boolean.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }

  /// Creates an array.
  public init(arrayLiteral elements: NodeValue...) { self = .array(elements) }

  /// Creates an object. Of equal names, the last one counts.
  public init(dictionaryLiteral elements: (String, NodeValue)...) {
    self = .object(Dictionary(elements) { $1 })
  }
}
