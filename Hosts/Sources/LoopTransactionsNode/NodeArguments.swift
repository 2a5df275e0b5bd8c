/// The arguments of a call from JavaScript.
public struct NodeArguments: Sendable {
  /// All arguments.
  public let values: [NodeValue]

  init(_ values: [NodeValue]) { self.values = values }

  /// The argument at `index`, or `undefined` if the caller passed fewer.
  public subscript(index: Int) -> NodeValue {
    values.indices.contains(index) ? values[index] : .undefined
  }

  /// Returns the argument at `index`, which must be a boolean.
  ///
  /// - Throws: A `TypeError`.
  public func boolean(_ index: Int) throws(NodeError) -> Bool {
    try argument(index, "a boolean", self[index].boolean)
  }

  /// Returns the argument at `index`, which must be a number.
  ///
  /// - Throws: A `TypeError`.
  public func number(_ index: Int) throws(NodeError) -> Double {
    try argument(index, "a number", self[index].number)
  }

  /// Returns the argument at `index`, which must be a string.
  ///
  /// - Throws: A `TypeError`.
  public func string(_ index: Int) throws(NodeError) -> String {
    try argument(index, "a string", self[index].string)
  }

  /// Returns the argument at `index`, which must be a `Uint8Array`.
  ///
  /// - Throws: A `TypeError`.
  public func bytes(_ index: Int) throws(NodeError) -> [UInt8] {
    try argument(index, "a Uint8Array", self[index].bytes)
  }

  /// Returns the argument at `index`, which must be a function.
  ///
  /// - Throws: A `TypeError`.
  public func function(_ index: Int) throws(NodeError) -> NodeFunction {
    try argument(index, "a function", self[index].function)
  }

  private func argument<Value>(
    _ index: Int,
    _ expected: String,
    _ value: Value?
  ) throws(NodeError) -> Value {
    if let value { return value }
    throw .wrongType("argument \(index + 1) must be \(expected)")
  }
}
