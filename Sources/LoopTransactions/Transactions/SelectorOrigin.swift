/// The place in the source where a selector is made.
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
    // Two modules may hold a literal of the same text each.
    return one.fileID.utf8Start == other.fileID.utf8Start
      || one.fileID.description == other.fileID.description
  }

  @usableFromInline var description: String { "\(fileID):\(line)" }
}

/// The selectors that were made at more than one place, as far as was reported.
struct SelectorConflicts {
  private var reported: Set<String> = []

  /// A message if `entry`, which is looked up from `origin`, was made at another place,
  /// and that was not reported yet.
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
