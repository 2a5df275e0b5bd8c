extension String {
  /// The same with a `?` for each control character but a new line: a name out of
  /// a file must not command the terminal.
  package var printable: String {
    guard unicodeScalars.contains(where: Self.isControl) else { return self }
    return String(String.UnicodeScalarView(unicodeScalars.map { Self.isControl($0) ? "?" : $0 }))
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control && scalar != "\n"
  }
}
