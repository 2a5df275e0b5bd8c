/// What the process tells its caller. Scripts depend on the numbers.
package enum ExitCode: Int32, Sendable {
  case success = 0
  /// Something broke: a peer, a file.
  case failed = 1
  /// It was called in a way that means nothing.
  case usage = 2
  /// A peer that exists, but not for the scenario that was asked for.
  case unavailable = 6
}
