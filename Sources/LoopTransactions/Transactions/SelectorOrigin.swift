/// The place in the source where a selector is created, and its action.
@usableFromInline
struct SelectorOrigin: Sendable {
  let fileID: StaticString
  let line: UInt
  let action: RawClosure

  @usableFromInline
  init(_ fileID: StaticString, _ line: UInt, _ action: RawClosure) {
    self.fileID = fileID
    self.line = line
    self.action = action
  }

  /// Whether the place is the same as that of `other`.
  func isPlace(of other: SelectorOrigin) -> Bool {
    guard line == other.line else { return false }
    // Two modules may contain separate literals with the same text.
    return fileID.utf8Start == other.fileID.utf8Start
      || fileID.description == other.fileID.description
  }
}

extension SelectorOrigin: CustomStringConvertible {
  @usableFromInline var description: String { "\(fileID):\(line)" }
}

/// Two selectors with one name whose actions may differ.
struct SelectorConflict {
  /// Equal for conflicts that are reported once.
  let key: String
  let message: String

  /// Creates a conflict if `entry` was created at another place than `origin`, or
  /// with other captured values. The caller retains the action of `origin`.
  init?(_ entry: SelectorEntry, _ origin: SelectorOrigin) {
    guard let first = entry.origin else { return nil }
    let selector = "Selector \(entry.targetType).\(entry.name)"
    if !first.isPlace(of: origin) {
      key = "\(entry.number) \(origin)"
      message = """
        \(selector): made at \(first) and at \(origin), but only the first action is \
        performed; rename one, or use the first selector in both places
        """
    } else if !first.action.isSame(as: origin.action) {
      key = "\(entry.number)"
      message = """
        \(selector): made again at \(origin) with an action that captures other values, but \
        only the first action is performed; use a Selector.Carrying that receives the values, or \
        make them part of the name
        """
    } else {
      return nil
    }
  }
}
