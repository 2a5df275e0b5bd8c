import CUV

/// Names the functions at addresses of this process.
///
/// `llvm-symbolizer` reads the symbols and debug information, in a process of its
/// own: it may take long, and may fail at a file that is damaged.
enum Symbols {
  /// An address as a module and a place in it.
  struct Place {
    /// The module's file. Empty if unknown.
    var file = ""
    /// The address as the module's symbol table counts.
    var offset: UInt
    /// The name of the exported function before it. Empty if unknown.
    var symbol = ""
  }

  /// Returns the lines of text for a stack: one per frame, and one for each
  /// function that was inlined into it.
  ///
  /// - Parameters:
  ///   - stack: An address, and the return addresses of its callers.
  ///   - milliseconds: The time that the helper has.
  static func lines(for stack: [UInt], within milliseconds: Int32 = 30_000) -> [String] {
    let places = stack.enumerated().map { index, address in
      // A call may be the last instruction of its function, so a return address
      // may be in the next one.
      place(of: index == 0 ? address : address &- 1)
    }
    let frames = run(places, within: milliseconds) ?? []
    return places.indices.flatMap { index in
      let named = index < frames.count ? frames[index] : []
      return named.isEmpty ? [describe(places[index])] : named
    }
  }

  /// Finds the module that contains `address`.
  static func place(of address: UInt) -> Place {
    withUnsafeTemporaryAllocation(of: lt_place.self, capacity: 1) { buffer in
      guard let found = buffer.baseAddress, lt_place_find(address, found) != 0 else {
        return Place(offset: address)
      }
      let file = withUnsafeBytes(of: &found.pointee.file) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      let symbol = found.pointee.symbol.map { String(cString: $0) } ?? ""
      return Place(file: file, offset: found.pointee.offset, symbol: symbol)
    }
  }

  /// Asks the helper for the frames at `places`. Returns nil if the helper is not
  /// installed, fails, or takes longer than `milliseconds`.
  private static func run(_ places: [Place], within milliseconds: Int32) -> [[String]]? {
    // An unknown place must be asked too, so that the answers stay in step.
    let inputs = places.map { place in
      "CODE \"\(place.file.isEmpty ? "/" : place.file)\" 0x\(String(place.offset, radix: 16))"
    }
    let words = ["llvm-symbolizer"] + inputs
    guard !places.isEmpty, let text = System.output(of: words, within: milliseconds) else {
      return nil
    }
    let frames = parse(text)
    return frames.count == places.count ? frames : nil
  }

  /// Splits the output of `llvm-symbolizer`: for each address a function's name and
  /// a place in the source for each frame, and then an empty line. Leaves out
  /// unknown functions.
  static func parse(_ text: String) -> [[String]] {
    text.split(separator: "\n\n").map { block in
      let lines = block.split(separator: "\n")
      return stride(from: 0, to: lines.count - 1, by: 2).compactMap { index in
        lines[index] == "??" ? nil : describe(lines[index], at: lines[index + 1])
      }
    }
  }

  private static func describe(_ name: Substring, at place: Substring) -> String {
    let file = place.split(separator: "/").last ?? place
    // The column is left out.
    let parts = file.split(separator: ":")
    guard parts.count > 1, parts[0] != "??" else { return demangled(String(name)) }
    return "\(demangled(String(name))) at \(parts[0]):\(parts[1])"
  }

  /// Describes a place without the help of debug information.
  static func describe(_ place: Place) -> String {
    let offset = "0x\(String(place.offset, radix: 16))"
    guard let module = place.file.split(separator: "/").last else { return offset }
    let name = place.symbol.isEmpty ? "" : "\(demangled(place.symbol)) in "
    return "\(name)\(module) + \(offset)"
  }

  /// Returns the name in the source for a name in the symbol table.
  static func demangled(_ name: String) -> String {
    guard let text = lt_demangle(name) else { return name }
    defer { lt_string_free(text) }
    return String(cString: text)
  }
}
