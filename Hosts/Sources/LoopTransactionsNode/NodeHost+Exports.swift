private import CNodeHost

extension NodeHost {
  /// Exports a function to JavaScript.
  ///
  /// Call in the closure of `register`. An error that `body` throws is thrown by the
  /// call in JavaScript.
  ///
  /// - Parameter body: Called on the environment's thread, within JavaScript's call. May
  ///   return `NodeValue.promise` of `makePromise()`.
  public func export(
    _ name: String,
    _ body: @escaping (NodeArguments) throws -> NodeValue
  ) throws(NodeError) {
    let object = exportsObject("NodeHost.export")
    let exported = ExportedFunction(host: self, body: body)
    var function: OpaquePointer?
    try check(
      lt_napi_create_function(
        environment,
        name,
        name.utf8.count,
        exportedFunctionWasCalled,
        Unmanaged.passUnretained(exported).toOpaque(),
        &function
      ),
      environment
    )
    try setProperty(name, of: object, to: function, environment)
    // Kept until the environment ends, as JavaScript may keep the function.
    exports.append(exported)
  }

  /// Exports an asynchronous function, which returns a promise in JavaScript.
  ///
  /// Call in the closure of `register`. An error that `body` throws rejects the
  /// promise. Node keeps running until the promise is settled. When the environment
  /// ends, the task is cancelled.
  ///
  /// - Parameter body: Called in a task. It runs on Swift's threads, unless it is
  ///   isolated to an actor. Written as `{ @MainActor arguments in … }`, it runs on the
  ///   main thread.
  public func exportAsync(
    _ name: String,
    _ body: @escaping @Sendable (NodeArguments) async throws -> NodeValue
  ) throws(NodeError) {
    try export(name) { [unowned self] arguments in
      let promise = try makePromise()
      promises[promise.number]?.task = Task {
        do { promise.resolve(try await body(arguments)) } catch { promise.reject(error) }
      }
      return .promise(promise)
    }
  }

  /// Calls a function, on the environment's thread.
  func call(
    _ function: NodeFunction,
    _ arguments: [NodeValue]
  ) throws(NodeError) -> NodeValue {
    try inCallback { () throws(NodeError) in
      var values: [OpaquePointer?] = []
      for argument in arguments { values.append(try make(argument)) }
      var (receiver, result): (OpaquePointer?, OpaquePointer?)
      try check(lt_napi_get_undefined(environment, &receiver), environment)
      try check(
        lt_napi_call_function(
          environment,
          receiver,
          try value(of: function),
          values.count,
          values,
          &result
        ),
        environment
      )
      return try read(result)
    }
  }

  func release(_ function: Int) {
    guard let reference = references.removeValue(forKey: function) else { return }
    lt_napi_delete_reference(environment, reference)
  }
}

/// A function that JavaScript can call.
final class ExportedFunction {
  private unowned let host: NodeHost
  private let body: (NodeArguments) throws -> NodeValue

  init(host: NodeHost, body: @escaping (NodeArguments) throws -> NodeValue) {
    self.host = host
    self.body = body
  }

  fileprivate func call(_ values: [OpaquePointer?]) -> OpaquePointer? {
    do {
      if host.isEnding { throw NodeError.environmentEnded }
      var arguments: [NodeValue] = []
      for value in values { arguments.append(try host.read(value)) }
      return try host.make(try body(NodeArguments(arguments)))
    } catch {
      throwToJavaScript(NodeError(error), host.environment)
      return nil
    }
  }
}

private func exportedFunctionWasCalled(
  _ environment: OpaquePointer?,
  _ info: OpaquePointer?
) -> OpaquePointer? {
  var count = 0
  var context: UnsafeMutableRawPointer?
  lt_napi_get_cb_info(environment, info, &count, nil, nil, &context)
  guard let context else { return nil }
  var values = [OpaquePointer?](repeating: nil, count: count)
  lt_napi_get_cb_info(environment, info, &count, &values, nil, nil)
  return Unmanaged<ExportedFunction>.fromOpaque(context).takeUnretainedValue().call(values)
}
