/// The longest piece of work of some time. In units of `Recorder.now`.
struct LongestPiece: BitwiseCopyable {
  private(set) var length: UInt64 = 0
  private(set) var owner = OwnerWord(.other)

  init() {}

  init(length: UInt64, owner: OwnerWord) { (self.length, self.owner) = (length, owner) }

  /// Replaces this piece by `other` if that one is longer.
  mutating func add(_ other: LongestPiece) {
    if other.length > length { self = other }
  }
}

/// Keeps the longest piece of work of a loop since the last frame of one clock.
/// Loop only.
final class FrameMeter {
  /// The measurements between two frames, in nanoseconds.
  struct Reading: BitwiseCopyable {
    let work: OwnerWord
    let duration: UInt64
    /// The part of the frame's lateness in which the loop did no work.
    let waited: UInt64
    /// Whether the loop waited for events meanwhile, inside a run.
    let wasPolling: Bool
  }

  private var longest = LongestPiece()

  /// Adds the longest piece of a tick, or of a part of a tick.
  func add(_ piece: LongestPiece) { longest.add(piece) }

  /// Returns the longest piece since the last call.
  func takeLongest() -> LongestPiece {
    defer { longest = LongestPiece() }
    return longest
  }
}
