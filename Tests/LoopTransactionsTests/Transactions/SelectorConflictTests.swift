import LoopTransactions
import Synchronization
import TestSupport
import Testing

private final class Plain: Sendable {}

private final class Marked: MainActorTarget {}

private actor Isolated {}

private struct OnMain: Sendable { let number: Int }

extension OnMain: @MainActor Equatable {
  @MainActor
  static func == (one: OnMain, other: OnMain) -> Bool {
    MainActor.assertIsolated()
    return true
  }
}

private struct Unique: ~Copyable, Sendable { let number: Int }

private final class Holder<T: Sendable>: Sendable {
  let value: T

  init(value: T) { self.value = value }

  func make<U: Sendable>(_ other: U, _ value: T) {
    _ = Selector<Plain>("two parameters") { _ in _ = (self, value, other) }
  }
}

extension Holder where T: Equatable {
  func make(_ value: T) {
    _ = Selector<Plain>("witness") { _ in _ = self.value == value }
  }
}

/// Selectors that a separate process creates.
private enum Making: Codable {
  case twoPlaces, threeLines, everyKindTwice, onePlace, observed, otherTypes
  case otherCaptures, everyKindCapturing, equalCaptures, unusualCaptures

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
    case .otherCaptures:
      makeCapturing(Int.self, "a text that is stored outside of its String", Plain())
      for _ in 0..<2 {
        makeCapturing(String.self, "another text of the same length, stored too", Plain())
      }
    case .everyKindCapturing: for text in ["a", "b", "b"] { makeEveryKindCapturing(text) }
    case .equalCaptures:
      let target = Plain()
      for _ in 0..<3 {
        // Equal, but in memory of its own.
        let text = String(repeating: "long ", count: 10)
        makeCapturing(Int.self, text, target)
        makeEveryKindCapturing(text)
      }
    case .unusualCaptures:
      // One of the closures retains itself.
      Interposed.forgiveLeaks()
      for number in 0..<2 { makeUnusual(number) }
    case .otherTypes:
      _ = Selector<Plain>("shared") { _ in }
      _ = Selector<Marked>("shared") { _ in }
      _ = Selector<Plain>.Carrying<Int>("shared") { _, _ in }
      _ = Selector<Plain>.Carrying<String>("shared") { _, _ in }
    }
  }

  /// Makes selectors in one place. Their values differ at the second call.
  private func makeCapturing<T>(_ type: T.Type, _ text: String, _ target: Plain) {
    _ = Selector<Plain>("text") { _ in _ = text }
    _ = Selector<Plain>("object") { _ in _ = target }
    _ = Selector<Plain>("type") { _ in _ = "\(T.self)" }
    _ = Selector<Plain>("mixed") { _ in _ = (target, text) }
    let inner: @Sendable () -> String = { text }
    _ = Selector<Plain>("closure") { _ in _ = inner() }
    let texts: [String]? = [text]
    _ = Selector<Plain>("array") { [unowned target] _ in _ = (texts, target) }
    makeGeneric(text)
    // Not compared, and so not reported.
    _ = Selector<Plain>("not compared") { [weak target] _ in _ = (target, 1) }
  }

  private func makeGeneric<Value: Sendable>(_ value: Value) {
    _ = Selector<Plain>("generic") { _ in _ = value }
  }

  // Makes selectors whose captures cannot be compared, or are equal.
  private func makeUnusual(_ number: Int) {
    let function: @convention(c) (Int32) -> Int32 = { $0 }
    _ = Selector<Plain>("C function") { _ in _ = (function(1), 100 + number) }
    nonisolated(unsafe) var recursive: () -> Void = {}
    recursive = { recursive() }
    nonisolated(unsafe) let closure = recursive
    _ = Selector<Plain>("recursive") { _ in closure() }
    let unique = Unique(number: number)
    _ = Selector<Plain>("not copyable") { _ in _ = unique.number }
    let atomic = Atomic(number)
    _ = Selector<Plain>("atomic") { _ in _ = atomic.load(ordering: .relaxed) }
    makePack(number, "text")
    makeElement(1, [Int].self, 7, 100 + number)
    Holder(value: number).make(number)
    Holder(value: (number, number)).make(String(repeating: "long ", count: 10), (1, number))
    let array = [1, 2]
    _ = Selector<Plain>("equal arrays") { _ in _ = array }
    let onMain = OnMain(number: number)
    _ = Selector<Plain>("isolated conformance") { _ in _ = onMain }
    let error: any Error = CancellationError()
    _ = Selector<Plain>("errors") { _ in _ = error }
  }

  private func makePack<each T: Sendable>(_ values: repeat each T) {
    _ = Selector<Plain>("pack") { _ in _ = (repeat each values) }
  }

  private func makeElement<T: Sendable, U: Collection & SendableMetatype>(
    _ first: T,
    _ type: U.Type,
    _ element: U.Element,
    _ number: Int
  ) where U.Element: Sendable {
    _ = Selector<Plain>("element") { _ in _ = (first, element, number, U.self) }
  }

  private func makeEveryKindCapturing(_ text: String) {
    _ = Selector<Plain>("plain") { _ in _ = text }
    _ = Selector<Marked>("marked") { _ in _ = text }
    _ = Selector<Isolated>("isolated") { _ in _ = text }
    _ = Selector<Plain>.Carrying<Int>("keep", keep: .first) { _, _ in _ = text }
    _ = Selector<Plain>.Carrying<Int>("merge", merge: +) { _, _ in _ = text }
    _ = Selector<Marked>.Carrying<Int>("keep") { _, _ in _ = text }
    _ = Selector<Marked>.Carrying<Int>("merge", merge: +) { _, _ in _ = text }
    _ = Selector<Isolated>.Carrying<Int>("keep") { _, _ in _ = text }
    _ = Selector<Isolated>.Carrying<Int>("merge", merge: +) { _, _ in _ = text }
    _ = Selector<Plain>.withObservation("observed") { _ in _ = text }
    _ = Selector<Marked>.withObservation("observed") { _ in _ = text }
    _ = Selector<Isolated>.withObservation("observed") { _ in _ = text }
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

    // T1
    @Test("a debug build reports once that an action captures other values")
    func otherCaptures() async {
      let lines = await reported(by: .otherCaptures)
      let names = ["text", "object", "type", "mixed", "closure", "array", "generic"]
      #expect(lines.count == names.count)
      for (name, line) in zip(names, lines) {
        #expect(line.hasPrefix("Selector Plain.\(name): made again at "))
        #expect(line.contains("captures other values") && line.contains("Selector.Carrying"))
      }
      #expect(await reported(by: .everyKindCapturing).count == 12)
    }
  #else
    // T1
    @Test(
      "a release build does not report a second definition",
      arguments: [Making.twoPlaces, .threeLines, .everyKindTwice, .otherCaptures]
    )
    private func reportsNothing(making: Making) async {
      #expect(await reported(by: making) == [])
    }
  #endif

  // T1
  @Test("creating a selector repeatedly in one place is not reported")
  func samePlace() async { #expect(await reported(by: .onePlace) == []) }

  // T1
  @Test("creating a selector repeatedly with equal captured values is not reported")
  func equalCaptures() async { #expect(await reported(by: .equalCaptures) == []) }

  // T1
  @Test("captured values of any type are compared without a crash")
  func unusualCaptures() async {
    // The object that is captured differs.
    let differing = ["Plain.witness", "Plain.two parameters"]
    let lines = await reported(by: .unusualCaptures)
    #expect(lines.allSatisfy { line in differing.contains { line.contains($0) } }, "\(lines)")
  }

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
