import CUV

/// How many processors this process may use.
package enum ActiveCores {
  /// The processors that it is allowed to run on, and no more than its control
  /// group's quota pays for; at least 1. Asked once.
  static let count: Int = max(1, min(allowed, ControlGroup.quota() ?? allowed))

  /// The processors that it is allowed to run on.
  package static var allowed: Int { Int(uv_available_parallelism()) }
}
