import LoopTransactions
import TestSupport
import Testing

private final class Plain: Sendable {}

private final class Marked: MainActorTarget {}

private actor Isolated {}

/// Selectors that a separate process creates.
private enum Making: Codable {
  case twoPlaces, threeLines, everyKindTwice, onePlace, observed, otherTypes

  func callAsFunction() throws {
    switch self {
    case .twoPlaces:
      for _ in 0..<3 {
        _ = Selector<Plain>("twice", fileID: "App/A.swift", line: 7) { _ in }
        _ = Selector<Plain>("twice", fileID: "App/B.swift", line: 12) { _ in }
      }
    case .threeLines:
      for line: UInt in [1, 2, 3, 1, 2, 3] {
        _ = Selector<Plain>("thrice", fileID: "App/A.swift", line: line) { _ in }
      }
    case .everyKindTwice:
      for _ in 0..<2 {
        makeEveryKind()
        makeEveryKindElsewhere()
      }
    case .onePlace:
      for _ in 0..<3 {
        makeEveryKind()
        everywhere(2) { _ in makeEveryKind() }
      }
    case .observed: try performObserved()
    case .otherTypes:
      _ = Selector<Plain>("shared") { _ in }
      _ = Selector<Marked>("shared") { _ in }
      _ = Selector<Plain>.Carrying<Int>("shared") { _, _ in }
      _ = Selector<Plain>.Carrying<String>("shared") { _, _ in }
    }
  }

  private func makeEveryKind() {
    _ = Selector<Plain>("plain") { _ in }
    _ = Selector<Marked>("marked") { _ in }
    _ = Selector<Isolated>("isolated") { _ in }
    _ = Selector<Plain>.Carrying<Int>("keep", keep: .first) { _, _ in }
    _ = Selector<Plain>.Carrying<Int>("merge", merge: +) { _, _ in }
    _ = Selector<Marked>.Carrying<Int>("keep") { _, _ in }
    _ = Selector<Marked>.Carrying<Int>("merge", merge: +) { _, _ in }
    _ = Selector<Isolated>.Carrying<Int>("keep") { _, _ in }
    _ = Selector<Isolated>.Carrying<Int>("merge", merge: +) { _, _ in }
    _ = Selector<Plain>.withObservation("observed") { _ in }
    _ = Selector<Marked>.withObservation("observed") { _ in }
    _ = Selector<Isolated>.withObservation("observed") { _ in }
  }

  private func makeEveryKindElsewhere() {
    _ = Selector<Plain>("plain") { _ in }
    _ = Selector<Marked>("marked") { _ in }
    _ = Selector<Isolated>("isolated") { _ in }
    _ = Selector<Plain>.Carrying<Int>("keep", keep: .first) { _, _ in }
    _ = Selector<Plain>.Carrying<Int>("merge", merge: +) { _, _ in }
    _ = Selector<Marked>.Carrying<Int>("keep") { _, _ in }
    _ = Selector<Marked>.Carrying<Int>("merge", merge: +) { _, _ in }
    _ = Selector<Isolated>.Carrying<Int>("keep") { _, _ in }
    _ = Selector<Isolated>.Carrying<Int>("merge", merge: +) { _, _ in }
    _ = Selector<Plain>.withObservation("observed") { _ in }
    _ = Selector<Marked>.withObservation("observed") { _ in }
    _ = Selector<Isolated>.withObservation("observed") { _ in }
  }

  private func performObserved() throws {
    let loop = try EventLoop()
    let target = Plain()
    let selector = Selector<Plain>.withObservation("performed") { _ in }
    for _ in 0..<2 {
      loop.commit(target, selector)
      loop.run()
    }
    try loop.close()
  }
}

@Suite("Selector: one name in two places")
struct SelectorConflictTests {
  #if DEBUG
    // T1
    @Test("a debug build reports a second definition once, with both source locations")
    func reportsBothPlaces() async {
      #expect(
        await reported(by: .twoPlaces) == [
          "Selector Plain.twice: made at App/A.swift:7 and at App/B.swift:12, but only the first "
            + "action is performed; rename one, or use the first selector in both places"
        ]
      )
    }

    // T1
    @Test("each additional line that creates a selector is reported once")
    func reportsEachPlace() async {
      let lines = await reported(by: .threeLines)
      #expect(lines.count == 2)
      #expect(lines.first?.contains("App/A.swift:1 and at App/A.swift:2") == true)
      #expect(lines.last?.contains("App/A.swift:1 and at App/A.swift:3") == true)
    }

    // T1
    @Test("a selector of any kind records where it was created")
    func everyKind() async {
      let lines = await reported(by: .everyKindTwice)
      #expect(lines.count == 12)
      for line in lines {
        #expect(line.split(separator: "SelectorConflictTests.swift:").count == 3, "\(line)")
      }
    }
  #else
    // T1
    @Test(
      "a release build does not report a second definition",
      arguments: [Making.twoPlaces, .threeLines, .everyKindTwice]
    )
    private func reportsNothing(making: Making) async {
      #expect(await reported(by: making) == [])
    }
  #endif

  // T1
  @Test("creating a selector repeatedly in one place is not reported")
  func samePlace() async { #expect(await reported(by: .onePlace) == []) }

  // T1, C4
  @Test("performing an observing action is not reported as a second definition")
  func observed() async { #expect(await reported(by: .observed) == []) }

  // T1
  @Test("two classes, or two value types, may use one name in two places")
  func otherTypes() async { #expect(await reported(by: .otherTypes) == []) }

  /// Runs `making` in a separate process. Returns the lines it writes to
  /// standard error.
  private func reported(by making: Making) async -> [String] {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      [making] in
      try making()
    }
    return String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      .split(separator: "\n").map(String.init)
  }
}
