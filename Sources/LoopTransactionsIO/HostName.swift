extension String {
  /// The host name as name servers have it: labels with other than ASCII
  /// characters are in Punycode (RFC 3492), with the prefix `xn--`.
  ///
  /// Corresponds to libuv, which does this in `uv_getaddrinfo`. The C library does
  /// it only with a library of its own, and in a locale with UTF-8.
  package var asciiHost: String {
    if utf8.allSatisfy({ $0 < 0x80 }) { return self }
    let dots: [Unicode.Scalar] = [".", "\u{3002}", "\u{FF0E}", "\u{FF61}"]
    let labels = unicodeScalars.split(omittingEmptySubsequences: false) { dots.contains($0) }
    return labels.map { Punycode.label(Array($0)) }.joined(separator: ".")
  }
}

private enum Punycode {
  private static var base: Int { 36 }
  private static var digits: [Character] { Array("abcdefghijklmnopqrstuvwxyz0123456789") }

  static func label(_ scalars: [Unicode.Scalar]) -> String {
    let plain = scalars.filter(\.isASCII)
    let text = String(String.UnicodeScalarView(plain))
    if plain.count == scalars.count { return text }
    let start = plain.isEmpty ? "xn--" : "xn--\(text)-"
    return start + encode(scalars.map { Int($0.value) }, plain: plain.count)
  }

  /// Encodes the code points that are not ASCII, from the lowest, with the
  /// distances between them.
  private static func encode(_ points: [Int], plain: Int) -> String {
    var (text, handled, delta, bias) = ("", plain, 0, 72)
    var next = 0x80
    while let lowest = points.lazy.filter({ $0 >= next }).min() {
      delta += (lowest - next) * (handled + 1)
      for point in points {
        if point < lowest { delta += 1 }
        guard point == lowest else { continue }
        text += number(delta, bias)
        handled += 1
        bias = adapted(delta / (handled == plain + 1 ? 700 : 2), handled)
        delta = 0
      }
      (next, delta) = (lowest + 1, delta + 1)
    }
    return text
  }

  /// Writes a number with digits whose weights depend on `bias`.
  private static func number(_ value: Int, _ bias: Int) -> String {
    var (text, rest, position) = ("", value, base)
    while true {
      let threshold = min(max(position - bias, 1), 26)
      if rest < threshold { break }
      text.append(digits[threshold + (rest - threshold) % (base - threshold)])
      rest = (rest - threshold) / (base - threshold)
      position += base
    }
    text.append(digits[rest])
    return text
  }

  private static func adapted(_ delta: Int, _ count: Int) -> Int {
    var (rest, bias) = (delta + delta / count, 0)
    while rest > (base - 1) * 26 / 2 {
      rest /= base - 1
      bias += base
    }
    return bias + base * rest / (rest + 38)
  }
}
