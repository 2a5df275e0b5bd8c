// Frames. Pieces are compared with the longest of the tick anyway, so a frame
// moves that one aside instead of adding a comparison.
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
