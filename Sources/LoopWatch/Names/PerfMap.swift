/// The names of generated code, from a perf map: lines of an address, a size and a
/// name, which Node.js and CPython append when they compile a function.
package struct PerfMap: Sendable {
  private struct Entry {
    var start: UInt64
    var end: UInt64
    let name: String
    /// Its place in the file.
    var number = 0
  }

  // Sorted, without overlaps: code that was moved or freed is replaced by newer code.
  private var entries: [Entry] = []
  private var pending: [Entry] = []
  private var count = 0
  private var rest: [UInt8] = []

  package init() {}

  package var isEmpty: Bool { entries.isEmpty && pending.isEmpty }

  /// Adds the next bytes of the file. A line may be divided between calls.
  package mutating func add(_ bytes: some Sequence<UInt8>) {
    rest += bytes
    var start = rest.startIndex
    while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
      if var entry = Self.entry(rest[start..<end]) {
        count += 1
        entry.number = count
        pending.append(entry)
      }
      start = end + 1
    }
    rest.removeSubrange(..<start)
  }

  /// The name of the function that contains `address`. The newest wins.
  package mutating func name(at address: UInt64) -> String? {
    merge()
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].start <= address { low = middle + 1 } else { high = middle }
    }
    guard low > 0, address < entries[low - 1].end else { return nil }
    return entries[low - 1].name
  }

  /// Sorts new entries in, and removes the parts of older ones that they overlap.
  private mutating func merge() {
    guard !pending.isEmpty else { return }
    let all = (entries + pending).sorted { $0.start < $1.start }
    pending = []
    entries = []
    entries.reserveCapacity(all.count)
    for entry in all { append(entry) }
  }

  /// Appends an entry that starts no earlier than the others.
  private mutating func append(_ entry: Entry) {
    guard let last = entries.last, last.end > entry.start else { return entries.append(entry) }
    if last.number < entry.number {
      entries[entries.count - 1].end = entry.start
      if last.start == entry.start { entries.removeLast() }
      entries.append(entry)
    } else if entry.end > last.end {
      var rest = entry
      rest.start = last.end
      entries.append(rest)
    }
  }

  private static func entry(_ line: ArraySlice<UInt8>) -> Entry? {
    let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
    guard words.count == 3, let start = hex(words[0]), let size = hex(words[1]) else { return nil }
    let (end, overflow) = start.addingReportingOverflow(size)
    guard !overflow else { return nil }
    return Entry(start: start, end: end, name: String(decoding: words[2], as: UTF8.self))
  }

  private static func hex(_ digits: ArraySlice<UInt8>) -> UInt64? {
    let text = digits.starts(with: "0x".utf8) ? digits.dropFirst(2) : digits
    return UInt64(String(decoding: text, as: UTF8.self), radix: 16)
  }
}

extension StackFrame {
  /// The frame of a function in a perf map. Nil for a stub without a meaning for the
  /// program.
  package init?(perfMapName name: String) {
    if let python = name.removing(prefix: "py::") {
      self.init(python: python)
    } else if let colon = name.firstIndex(of: ":"), Self.scripts.contains(String(name[..<colon])) {
      self.init(script: String(name[name.index(after: colon)...]))
    } else if let java = Self.java(name) {
      self.init(java, role: Self.javaPackages.contains { java.hasPrefix($0) } ? .library : .program)
    } else {
      return nil
    }
  }

  /// `shop.Cart.load` of `int shop.Cart.load(int, java.lang.String)`, as `jcmd` writes it.
  private static func java(_ name: String) -> String? {
    guard name.hasSuffix(")"), !name.contains(":"), let open = name.firstIndex(of: "(") else {
      return nil
    }
    let words = name[..<open].split(separator: " ")
    return words.count == 2 && words[1].contains(".") ? String(words[1]) : nil
  }

  private static let javaPackages = ["java.", "javax.", "jdk.", "sun.", "com.sun."]

  private static let scripts: Set<String> = [
    "JS", "LazyCompile", "Function", "Script", "Eval", "Module",
  ]

  /// `*name /path/file.js:88:12`, with a mark of the tier.
  private init(script text: String) {
    let text = String(text.drop { "~^*+'".contains($0) })
    let words = text.split(separator: " ", maxSplits: 1).map(String.init)
    let (function, place) =
      words.count == 2 ? (words[0], words[1]) : ("(anonymous)", words.first ?? "")
    let isOwn = !place.hasPrefix("node:") && !place.isEmpty && place != "native"
    self.init(
      text.hasPrefix(" ") ? "(anonymous)" : function,
      place: Self.line(of: place),
      role: isOwn ? .program : .library
    )
  }

  /// `name:/path/file.py`.
  private init(python text: String) {
    let colon = text.lastIndex(of: ":") ?? text.endIndex
    let path = text[colon...].dropFirst()
    let isLibrary = ["/lib/python", "<frozen", "site-packages/uvloop"].contains {
      path.contains($0)
    }
    let isLoop = isLibrary && path.contains("/asyncio/")
    self.init(
      String(text[..<colon]),
      place: path.split(separator: "/").last.map(String.init),
      role: isLoop ? .loop : isLibrary ? .library : .program
    )
  }

  /// `file.js:88` of `/path/file.js:88:12`.
  private static func line(of place: String) -> String? {
    let parts = place.split(separator: ":")
    guard parts.count >= 3, !place.hasPrefix("node:") else { return place.isEmpty ? nil : place }
    let file = parts[..<(parts.count - 2)].joined(separator: ":")
    return (file.split(separator: "/").last.map(String.init) ?? file) + ":" + parts[parts.count - 2]
  }
}

extension String {
  fileprivate func removing(prefix: String) -> String? {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }
}
