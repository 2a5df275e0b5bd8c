/// Generates seeded inputs from fragments of requests. Most are not valid requests.
struct RandomInput {
  private var state: UInt64

  private static let fragments = [
    "*1", "*2", "*3", "*-1", "*", "$", "$3", "$1", "$-1", "$1048577", "\r\n", "\r", "\n", "GET",
    "SET", "k", " ", "\0", "99999999999999999999", "*1\r\n$4\r\nPING\r\n", "\u{ff}",
  ].map { Array($0.utf8) }

  init(seed: UInt64) { state = seed }

  /// Returns a number below `count`.
  mutating func next(_ count: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(count))
  }

  /// Appends 1 to 7 fragments.
  mutating func append(to bytes: inout [UInt8]) {
    for _ in 0...next(6) { bytes.append(contentsOf: Self.fragments[next(Self.fragments.count)]) }
  }
}
