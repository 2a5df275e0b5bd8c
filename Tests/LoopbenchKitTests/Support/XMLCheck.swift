/// A check for well-formed XML, limited to the syntax that plots use.
enum XMLCheck {
  /// Returns a description of the first fault; `nil` if there is none.
  static func fault(in text: String) -> String? {
    var open: [String] = []
    var rest = text[...]
    while let start = rest.firstIndex(of: "<") {
      if let fault = entityFault(in: rest[..<start]) { return fault }
      guard let end = rest[start...].firstIndex(of: ">") else { return "a tag that does not end" }
      let tag = rest[rest.index(after: start)..<end]
      if tag.hasPrefix("/") {
        guard open.popLast() == String(tag.dropFirst()) else { return "</\(tag)> closes nothing" }
      } else if !tag.hasPrefix("?"), !tag.hasPrefix("!") {
        guard tag.filter({ $0 == "\"" }).count.isMultiple(of: 2) else { return "quotes in \(tag)" }
        let name = String(tag.prefix { !$0.isWhitespace && $0 != "/" })
        if !tag.hasSuffix("/") { open.append(name) }
      }
      rest = rest[rest.index(after: end)...]
    }
    return open.isEmpty ? nil : "\(open) is not closed"
  }

  private static func entityFault(in text: Substring) -> String? {
    for part in text.split(separator: "&", omittingEmptySubsequences: false).dropFirst() {
      let name = part.prefix { $0 != ";" }
      let known = ["amp", "lt", "gt", "quot", "apos"].contains(String(name))
      guard known || name.hasPrefix("#"), name.count < part.count else { return "&\(name)" }
    }
    return nil
  }
}
