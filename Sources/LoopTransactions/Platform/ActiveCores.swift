import CUV

/// The number of processors that this process may use.
package enum ActiveCores {
  /// The number of processors the process may run on, limited by its control
  /// group's quota; at least 1. Computed once.
  static let count: Int = max(1, min(allowed, ControlGroup.quota() ?? allowed))

  /// Whether threads of the process may now run on more than one processor,
  /// although each may be pinned to one.
  static var areSeveral: Bool { lt_process_has_cpus() != 0 && ControlGroup.quota() != 1 }

  /// The number of processors the process may run on.
  package static var allowed: Int { Int(uv_available_parallelism()) }
}
