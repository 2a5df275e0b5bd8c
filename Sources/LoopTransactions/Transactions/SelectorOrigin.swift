/// The place in the source where a selector is created.
@usableFromInline
struct SelectorOrigin: Sendable {
  let fileID: StaticString
  let line: UInt

  @usableFromInline
  init(_ fileID: StaticString, _ line: UInt) {
    self.fileID = fileID
    self.line = line
  }
}

extension SelectorOrigin: Equatable, CustomStringConvertible {
  @usableFromInline
  static func == (one: SelectorOrigin, other: SelectorOrigin) -> Bool {
    guard one.line == other.line else { return false }
    // Two modules may contain separate literals with the same text.
    return one.fileID.utf8Start == other.fileID.utf8Start
      || one.fileID.description == other.fileID.description
  }

  @usableFromInline var description: String { "\(fileID):\(line)" }
}

/// The conflicting selectors that have been reported.
struct SelectorConflicts {
  private var reported: Set<String> = []

  /// Returns a message if `entry` was created at another place than `origin`
  /// and this conflict has not been reported.
  mutating func message(_ entry: SelectorEntry, _ origin: SelectorOrigin?) -> String? {
    guard let origin, let first = entry.origin, first != origin else { return nil }
    let selector = "\(entry.targetType).\(entry.name)"
    guard reported.insert("\(entry.number) \(origin)").inserted else { return nil }
    return """
      Selector \(selector): made at \(first) and at \(origin), but only the first action is \
      performed; rename one, or use the first selector in both places
      """
  }
}
