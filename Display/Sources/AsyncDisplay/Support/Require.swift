/// Traps with `message` unless `condition` is true, in release builds too.
@inline(__always)
func require(_ condition: Bool, _ message: @autoclosure () -> String) {
  if _fastPath(condition) { return }
  trap(message())
}

/// Traps with `message`.
@inline(never)
func trap(_ message: String) -> Never { fatalError(message) }
