import AsyncDisplay

/// A script in which cards are written, with its font.
package enum Script: CaseIterable, Hashable, Sendable {
  case latin, greek, cyrillic, armenian, georgian, hebrew, arabic
  case devanagari, han, kana, hangul, emoji

  /// The scripts that the DejaVu fonts contain.
  package static let common: Set<Script> = [
    .latin, .greek, .cyrillic, .armenian, .georgian, .hebrew, .arabic,
  ]

  /// The scripts for which a font is installed.
  ///
  /// Read from any thread. Lays out a word of each script.
  package static var installed: Set<Script> {
    let installed = allCases.filter { script in
      let attributes = TextAttributes(font: Font(script.family, size: 16))
      return AttributedText(script.sample, attributes).unknownCharacters == 0
    }
    return Set(installed)
  }

  /// The font families, in order of preference.
  package var family: String {
    switch self {
    case .latin, .greek, .cyrillic, .armenian, .georgian: "DejaVu Sans"
    case .hebrew: "Noto Sans Hebrew, DejaVu Sans"
    case .arabic: "Noto Naskh Arabic, DejaVu Sans"
    case .devanagari: "Noto Sans Devanagari, DejaVu Sans"
    case .han: "Noto Sans CJK SC, DejaVu Sans"
    case .kana: "Noto Sans CJK JP, DejaVu Sans"
    case .hangul: "Noto Sans CJK KR, DejaVu Sans"
    case .emoji: "Noto Color Emoji, DejaVu Sans"
    }
  }

  private var sample: String {
    switch self {
    case .latin: "Çınar"
    case .greek: "φῶς"
    case .cyrillic: "вода"
    case .armenian: "լիճ"
    case .georgian: "ზღვა"
    case .hebrew: "אגם"
    case .arabic: "نور"
    case .devanagari: "झील"
    case .han: "湖山"
    case .kana: "みずうみ"
    case .hangul: "호수"
    case .emoji: "🌲🌊"
    }
  }

  /// Returns the script of `scalar`, or nil for characters that belong to the
  /// text around them, such as spaces and punctuation.
  package static func of(_ scalar: Unicode.Scalar) -> Script? {
    switch scalar.value {
    case 0x0370...0x03FF, 0x1F00...0x1FFF: .greek
    case 0x0400...0x052F: .cyrillic
    case 0x0530...0x058F: .armenian
    case 0x0590...0x05FF: .hebrew
    case 0x0600...0x06FF, 0x0750...0x077F: .arabic
    case 0x0900...0x097F: .devanagari
    case 0x10A0...0x10FF: .georgian
    case 0x3040...0x30FF: .kana
    case 0x3001...0x303F, 0x4E00...0x9FFF: .han
    case 0xAC00...0xD7AF: .hangul
    case 0x1F300...0x1FAFF, 0x2600...0x27BF: .emoji
    case _ where scalar.properties.isAlphabetic: .latin
    default: nil
    }
  }
}

extension AttributedText {
  /// Creates a text whose parts have the fonts of their scripts.
  init(_ string: String, size: Double, weight: Int, color: Color) {
    self.init()
    var (script, part) = (Script?.none, "")
    func attributes() -> TextAttributes {
      let font = Font((script ?? .latin).family, size: size, weight: weight)
      return TextAttributes(font: font, color: color)
    }
    for character in string {
      // Fonts of emoji have wide spaces.
      let neutral = script == .emoji ? Script.latin : nil
      let next = character.unicodeScalars.first.flatMap(Script.of) ?? neutral
      if let next, let known = script, !next.shares(font: known) {
        append(part, attributes())
        (script, part) = (next, "")
      }
      script = script ?? next
      // Japanese text is recognised by its kana.
      if next == .kana { script = .kana }
      part.append(character)
    }
    append(part, attributes())
  }
}

extension Script {
  // Japanese text mixes kana and Han characters.
  fileprivate func shares(font other: Script) -> Bool {
    family == other.family || (self == .han && other == .kana) || (self == .kana && other == .han)
  }
}
