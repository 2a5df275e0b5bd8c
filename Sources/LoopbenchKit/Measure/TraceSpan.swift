/// Something that took a while, for a time line.
package struct TraceSpan: Equatable, Sendable {
  /// What it was.
  package let name: String
  /// Whose it was.
  package let track: Track
  /// In ns, on the monotonic clock.
  package let began: UInt64
  /// Never before `began`.
  package let ended: UInt64

  /// A thread of a slice.
  package enum Track: String, CaseIterable, Sendable {
    case loop
    case producer
    /// The loop's ticks, where a peer tells them.
    case ticks
  }

  package init(name: String, track: Track, began: UInt64, ended: UInt64) {
    self.name = name
    self.track = track
    self.began = began
    self.ended = ended
  }
}
