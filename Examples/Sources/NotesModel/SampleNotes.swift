/// Notes with invented texts, for trying the program and measuring it.
package enum SampleNotes {
  /// Returns the draft with a number below `count`. Equal numbers return equal texts.
  package static func draft(_ number: Int, of count: Int, before time: Int) -> Draft {
    var random = Mixer(state: UInt64(number) &* 0x9E37_79B9_7F4A_7C15 &+ 1)
    let person = people[random.below(people.count)]
    let topic = topics[random.below(topics.count)]
    let kind = kinds[random.below(kinds.count)]
    var text = "\(kind) \(topic)\n\(person), no. \(number + 1)\n"
    for _ in 0..<(1 + random.below(4)) {
      text += "\n\(sentences[random.below(sentences.count)])"
    }
    // Two notes in an hour.
    return Draft(created: time - (count - number) * 1800, text: text)
  }

  private static let people = [
    "Ada", "Alan", "Barbara", "Dennis", "Donald", "Edsger", "Frances", "Grace", "John",
    "Katherine", "Ken", "Leslie", "Margaret", "Radia", "Tony",
  ]
  private static let topics = [
    "garden plan", "bicycle repair", "quarterly report", "bread recipe", "train to Lisbon",
    "library books", "kitchen shelves", "choir rehearsal", "school concert", "insurance letter",
    "birthday present", "frame clock", "winter tyres", "reading group", "router upgrade",
  ]
  private static let kinds = [
    "About the", "Ideas for the", "Questions on the", "List for the", "The",
  ]
  private static let sentences = [
    "Ask for two offers before the end of the month.",
    "The old one is in the cellar, behind the ladder.",
    "Call on Thursday, the office is closed on Friday.",
    "Needs flour, salt, a little honey and a lot of time.",
    "Everyone brings something; we meet at the usual place.",
    "Measure twice. The wall is not straight.",
    "See chapter four, especially the part about deadlines.",
    "It worked after the third attempt, so write down how.",
  ]

  /// SplitMix64.
  private struct Mixer {
    var state: UInt64

    mutating func below(_ limit: Int) -> Int {
      state &+= 0x9E37_79B9_7F4A_7C15
      var value = state
      value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
      value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
      return Int((value ^ (value >> 31)) % UInt64(limit))
    }
  }
}
