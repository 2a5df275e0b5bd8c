import LoopTransactionsTesting

/// The titles and texts of cards.
enum Words {
  /// Returns a headline of 5 to 16 letters.
  static func title(_ number: Int, _ random: inout SeededGenerator) -> String {
    let first = titles[number % titles.count]
    guard first.count < 9 else { return first }
    return "\(first) \(places[Int(random.next() % UInt64(places.count))])"
  }

  /// Returns sentences with a total length of 353 to 414 letters.
  static func details(_ random: inout SeededGenerator) -> String {
    let length = Int(random.number(in: 353...414))
    var text = ""
    while text.count < length {
      let word = words[Int(random.next() % UInt64(words.count))]
      let begins = text.isEmpty || text.hasSuffix(". ")
      text += begins ? word.prefix(1).uppercased() + word.dropFirst() : word
      text += random.next() % 9 == 0 ? ". " : " "
    }
    return text.prefix(length - 1) + "."
  }

  private static let titles = [
    "Harbour", "Lighthouse", "Meadow", "Заря", "Glacier", "Orchard", "Canyon", "ზღვის პირი",
    "Lagoon", "Viaduct", "Summit", "Ἀκρόπολις", "Delta", "Quarry", "Savanna", "Fjord",
    "Terrace", "Causeway", "Estuary",
  ]

  private static let places = ["at dawn", "North", "No. 7", "Bay", "Hill"]

  // Some words are not Latin, because shaping them costs more.
  private static let words = [
    "river", "of", "stone", "and", "light", "under", "a", "wide", "sky", "where", "boats",
    "wait", "for", "the", "tide", "while", "gulls", "circle", "slowly", "above", "old",
    "roofs", "in", "morning", "fog", "before", "market", "opens", "with", "bread", "coffee",
    "voices", "from", "every", "street", "вода", "и", "камень", "φῶς", "ზღვა", "քար", "نور",
    "çınar",
  ]
}
