/// Inputs of what requests are made of, from a seed: some are requests, most are not.
struct RandomInput {
  private var state: UInt64

  private static let pieces = [
    "*1", "*2", "*3", "*-1", "*", "$", "$3", "$1", "$-1", "$1048577", "\r\n", "\r", "\n", "GET",
    "SET", "k", " ", "\0", "99999999999999999999", "*1\r\n$4\r\nPING\r\n", "\u{ff}",
  ].map { Array($0.utf8) }

  init(seed: UInt64) { state = seed }

  /// A number below `count`.
  mutating func next(_ count: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(count))
  }

  /// Appends an input of 1 to 7 pieces.
  mutating func append(to bytes: inout [UInt8]) {
    for _ in 0...next(6) { bytes.append(contentsOf: Self.pieces[next(Self.pieces.count)]) }
  }
}
