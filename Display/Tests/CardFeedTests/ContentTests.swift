import AsyncDisplay
import CardFeed
import Testing

@Suite("Content of cards")
struct ContentTests {
  private func isWhole(_ text: String) -> Bool {
    let ends: Set<Character> = [".", "।", "。", "։"]
    return text.last.map { ends.contains($0) } ?? false
  }

  @Test("texts are whole sentences, in all scripts and without the scripts that have no font")
  func sentences() throws {
    for scripts in [Set(Script.allCases), Script.common, [.latin]] {
      let corpus = try CardCorpus(scale: 0.02, scripts: scripts)
      for card in corpus.cards {
        #expect((353...414).contains(card.details.count), "\(card.details)")
        #expect((5...16).contains(card.title.count), "\(card.title)")
        #expect(isWhole(card.details), "\(card.details)")
        if scripts == [.latin] {
          let text = card.title + card.details
          #expect(text.unicodeScalars.allSatisfy { $0.isASCII }, "\(text)")
        }
      }
    }
  }

  @Test("each script has sentences about the landscape of its card", arguments: Script.allCases)
  func subjects(_ script: Script) throws {
    let corpus = try CardCorpus(scale: 0.02, scripts: [.latin, script])
    let scalars = corpus.cards.flatMap { $0.details.unicodeScalars }
    #expect(scalars.contains { Script.of($0) == script })
  }

  @Test("a title names its landscape, and cards with other landscapes have other titles")
  func titles() throws {
    let words: [Scenery: [String]] = [
      .mountains: ["peak", "ridge", "mountain"], .lake: ["lake", "water", "shore"],
      .coast: ["bay", "headland"], .meadow: ["hill", "meadow", "pasture"],
      .forest: ["forest", "wood", "pine"], .desert: ["dune", "hill"],
    ]
    var titles: [String: Scenery] = [:]
    for card in try CardCorpus(scale: 0.02, scripts: [.latin]).cards {
      let title = card.title.lowercased()
      #expect(words[card.scenery]?.contains { title.contains($0) } == true, "\(title)")
      #expect(titles[title] == nil || titles[title] == card.scenery)
      titles[title] = card.scenery
    }
  }

  @Test("an installed script has a font for the texts of all cards")
  func fonts() throws {
    let installed = Script.installed
    #expect(installed.contains(.latin))
    let corpus = try CardCorpus(scale: 0.02, scripts: installed)
    for card in corpus.cards {
      for text in [card.title, card.details] {
        let attributes = TextAttributes(font: Font("DejaVu Sans", size: 16))
        #expect(AttributedText(text, attributes).unknownCharacters == 0, "\(text)")
      }
    }
    let missing = AttributedText("\u{10FFFD}", TextAttributes(font: Font("DejaVu Sans", size: 16)))
    #expect(missing.unknownCharacters == 1)
  }
}
