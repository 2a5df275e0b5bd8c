/// A closure that C calls: a C function can not be made from one that captures,
/// or that is generic.
final class Caller: Sendable {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }

  /// Calls the `Caller` whose address it is told.
  static let call: PostedFunction = { context in
    guard let context else { return }
    Unmanaged<Caller>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.body() }
  }

  /// The context of `call`. Keep the caller until C has forgotten it.
  var address: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
}
