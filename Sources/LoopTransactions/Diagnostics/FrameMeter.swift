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

// Frames. A tick compares each piece with its longest piece so far. A frame needs
// no comparison of its own: it sets the tick's longest piece aside, and the end
// of the tick restores the longer one.
extension Recorder {
  /// Begins a frame of `meter` that was due at `due`, in nanoseconds of the
  /// loop's clock. Call in the piece that the frame is part of.
  mutating func beginFrame(_ meter: FrameMeter, due: UInt64) -> FrameMeter.Reading {
    moveLongest()
    let longest = meter.takeLongest()
    // A host may announce a frame between two turns of the loop.
    let waitStart = max(due, nanoseconds(at: workEnd))
    let waitEnd = nanoseconds(at: isInTick ? tick.start : now)
    return FrameMeter.Reading(
      work: longest.owner,
      duration: clock.rate.nanoseconds(of: longest.length),
      waited: waitEnd > waitStart ? waitEnd - waitStart : 0,
      wasPolling: isInTick && tick.waitStart < tick.start
    )
  }

  private mutating func moveLongest() {
    let longest = LongestPiece(length: tick.longest, owner: tick.longestOwner)
    for meter in frameMeters { meter.add(longest) }
    beforeFrame.add(longest)
    tick.longest = 0
    tick.longestOwner = OwnerWord(.other)
  }

  /// Called at the end of a tick, so that its report has its longest piece.
  mutating func endFramePieces() {
    moveLongest()
    (tick.longest, tick.longestOwner) = (beforeFrame.length, beforeFrame.owner)
    beforeFrame = LongestPiece()
  }
}
