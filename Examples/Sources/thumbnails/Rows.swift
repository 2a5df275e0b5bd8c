/// Some pictures in a row, by their positions, the first being 1.
struct Rows: Hashable, Sendable, CustomStringConvertible {
  let first: Int
  let last: Int

  /// The rows that `text` names: `40-60`, or `7`.
  init(parsing text: some StringProtocol) throws {
    let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    guard ends.count <= 2, let first = ends[0], let last = ends[ends.count - 1],
      1 <= first, first <= last
    else { throw Failure("'\(text)' is no range: say FIRST-LAST, such as 1-20") }
    (self.first, self.last) = (first, last)
  }

  init(_ first: Int, _ last: Int) { (self.first, self.last) = (first, last) }

  var description: String { "\(first)-\(last)" }

  /// How far `position` lies outside; 0 within.
  func distance(to position: Int) -> Int { max(first - position, position - last, 0) }

  /// Throws unless all of it lies within `count` pictures.
  func check(count: Int) throws {
    guard last <= count else {
      throw Failure("\(self) is out of range: there are \(count) pictures")
    }
  }
}
