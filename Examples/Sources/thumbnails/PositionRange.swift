/// A range of picture positions. The first picture has position 1.
struct PositionRange: Hashable, Sendable, CustomStringConvertible {
  let first: Int
  let last: Int

  /// Parses a range such as `40-60`, or a single position such as `7`.
  init(parsing text: some StringProtocol) throws {
    let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    guard ends.count <= 2, let first = ends[0], let last = ends[ends.count - 1],
      1 <= first, first <= last
    else { throw Failure("invalid range '\(text)'; expected FIRST-LAST, for example 1-20") }
    (self.first, self.last) = (first, last)
  }

  init(_ first: Int, _ last: Int) { (self.first, self.last) = (first, last) }

  var description: String { "\(first)-\(last)" }

  /// Returns the distance of `position` from the range, or 0 inside it.
  func distance(to position: Int) -> Int { max(first - position, position - last, 0) }

  /// Throws if the range exceeds `count` pictures.
  func check(count: Int) throws {
    guard last <= count else {
      throw Failure("\(self) is out of range: number of pictures is \(count)")
    }
  }
}
