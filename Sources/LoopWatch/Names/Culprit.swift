/// A captured stack, innermost function first.
package struct Capture: Hashable, Sendable {
  package var stack: [StackFrame]
  /// The state of the thread just before.
  package var state: Observation.State

  package init(stack: [StackFrame], state: Observation.State = .runnable) {
    (self.stack, self.state) = (stack, state)
  }
}

/// The functions that a hold is blamed on: from the hot function to the callback that
/// the loop called.
package struct Culprit: Hashable, Sendable {
  /// Innermost first.
  package var path: [String]
  package var isCollecting = false
  /// False if no loop is known, so that the last functions may be the loop's.
  package var isOfLoop = true

  package init(path: [String], isCollecting: Bool = false, isOfLoop: Bool = true) {
    (self.path, self.isCollecting, self.isOfLoop) = (path, isCollecting, isOfLoop)
  }

  /// `loadCart cart.js:88 ×3 < handle server.js:12`. A long path shows its ends.
  package var description: String { text(path.folded) }

  /// The description without the depths of recursions, which differ from hold to hold.
  package var group: String { text(path.foldedCounts.map(\.name)) }

  private func text(_ names: [String]) -> String {
    let outer = isOfLoop ? 1 : 2
    let isLong = names.count > outer + 2
    let shown = isLong ? names.prefix(2) + ["…"] + names.suffix(outer) : names[...]
    let text = shown.joined(separator: " < ")
    guard isCollecting else { return text }
    return text.isEmpty ? "garbage collection" : "garbage collection in \(text)"
  }

  /// Finds the culprit of a hold in its captures: the callback that most of them
  /// share, and the innermost function in it that most of those share.
  ///
  /// - Parameter captures: Stacks, innermost function first.
  /// - Returns: Nil if no function is known.
  package init?(of captures: [[StackFrame]]) {
    let own = Self.ownStacks(captures)
    guard let first = own.compactMap(\.last).mostFrequent else { return nil }
    let same = own.filter { $0.last == first }
    let shared = Self.sharedEnd(of: same)
    let collecting = captures.count { $0.contains { $0.role == .collector } }
    self.init(
      path: Self.names(of: shared),
      isCollecting: collecting * 2 > captures.count,
      isOfLoop: captures.contains { $0.contains { $0.role == .loop } }
    )
  }

  /// Several functions of a file without symbols are not a recursion.
  private static func names(of frames: [StackFrame]) -> [String] {
    zip(frames, [nil] + frames.map(Optional.some))
      .filter { frame, inner in frame.isNamed || frame != inner }
      .map(\.0.description)
  }

  /// The program's functions inside of the loop's callback, of each capture. If hardly
  /// a capture has one, the callback's library functions.
  private static func ownStacks(_ captures: [[StackFrame]]) -> [[StackFrame]] {
    let own = captures.map(\.ownFunctions).filter { !$0.isEmpty }
    guard own.count * 4 < captures.count || own.isEmpty else { return own }
    return captures.filter { $0.contains { $0.role == .loop } }
      .map { $0.called.filter { $0.role == .library }.suffix(1) }.filter { !$0.isEmpty }
  }

  /// The longest list of outer functions that more than half of the stacks have.
  private static func sharedEnd(of stacks: [[StackFrame]]) -> [StackFrame] {
    var shared: [StackFrame] = []
    var same = stacks[...].map { $0[...] }
    while let next = same.compactMap(\.last).mostFrequent {
      let inner = same.filter { $0.last == next }
      guard inner.count * 2 > stacks.count else { break }
      shared.insert(next, at: 0)
      same = inner.map { $0.dropLast() }
    }
    return shared
  }
}

extension [StackFrame] {
  /// The functions that the loop called, without the loop and its callers.
  package var called: ArraySlice<StackFrame> {
    self[..<(lastIndex { $0.role == .loop } ?? endIndex)]
  }

  /// The program's functions that the loop called. Without a known loop, the outermost
  /// one is the start of the program or of a thread, which tells nothing if it called
  /// another.
  fileprivate var ownFunctions: [StackFrame] {
    let own = called.filter { $0.role == .program }
    let start = called.lastIndex { $0.role == .program }
    guard let start, own.count > 1, called.endIndex == endIndex else { return own }
    let isOfThread = self[start...].dropFirst().first?.function == "start_thread"
    let isOfProgram = ["main", "<module>"].contains(self[start].function)
    return isOfThread || isOfProgram ? own.dropLast() : own
  }
}

extension [String] {
  /// The names of a stack, with `f ×3` in place of `f`, `f`, `f`.
  package var folded: [String] {
    foldedCounts.map { $0.count == 1 ? $0.name : "\($0.name) ×\($0.count)" }
  }

  fileprivate var foldedCounts: [(name: String, count: Int)] {
    reduce(into: []) { folded, name in
      if folded.last?.name == name {
        folded[folded.count - 1].count += 1
      } else {
        folded.append((name, 1))
      }
    }
  }
}

extension Array where Element: Hashable {
  /// The element that occurs most often.
  var mostFrequent: Element? {
    var counts: [Element: Int] = [:]
    for element in self { counts[element, default: 0] += 1 }
    return self.max { (counts[$0] ?? 0) < (counts[$1] ?? 0) }
  }
}
