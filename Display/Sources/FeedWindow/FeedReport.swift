package import CardFeed

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Counts frames and prints a line for each second.
package struct FeedReport {
  private let prints: Bool
  private var (frames, missed, blanks, tiles) = (0, 0, 0, 0)

  package init(prints: Bool) { self.prints = prints }

  package mutating func add(_ shown: FeedFrame, missed: Int, _ variant: FeedVariant) {
    frames += 1
    self.missed += missed
    blanks += shown.blanks
    tiles += shown.tiles.count
    if frames + self.missed >= 60 { flush(shown, variant, "") }
  }

  /// Prints a line about the frames since the last one.
  package mutating func flush(_ shown: FeedFrame, _ variant: FeedVariant, _ suffix: String) {
    defer { self = FeedReport(prints: prints) }
    guard prints else { return }
    print(
      "\(variant.name): \(frames) frames, \(missed) dropped, "
        + "\(blanks) of \(tiles) cards blank, at \(Int(shown.position))\(suffix)"
    )
    // Flush now, because output to a pipe is fully buffered.
    fflush(nil)
  }
}
