import AsyncDisplay
import CardFeed
import Foundation
import LoopTransactions
import Testing

/// Returns one value of every public type of CardFeed, keyed by the type's
/// name.
private func samples(_ feed: Feed, _ loop: EventLoop) -> [String: Any] {
  let frame = feed.scroll(to: 0)
  let content = feed.corpus[0]
  return [
    "Card": Card(content, index: 0, blur: BlurFilter(radius: 1)),
    "CardContent": content,
    "CardCorpus": feed.corpus,
    "Feed": feed,
    "FeedFrame": frame,
    "FeedFrame.Tile": frame.tiles.first as Any,
    "FeedLayout": feed.layout,
    "FeedMetrics": feed.metrics,
    "FeedStage": feed.stage,
    "FeedVariant": FeedVariant.s0,
    "FeedVariant.Drawing": FeedVariant.s0.drawing,
    "ProcessorShare": ProcessorShare.self,
    "ScrollScript": ScrollScript.still,
    "Scroller": Scroller(range: 0...1),
  ]
}

@Suite("Reflection of the feed")
struct ReflectionTests {
  @Test("a value of every public type can be dumped")
  func dumps() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      try withFeed(.s3, count: 8) { feed, loop in
        for (name, value) in samples(feed, loop).sorted(by: { $0.key < $1.key }) {
          // If the process ends, the last name identifies the value that caused
          // it.
          FileHandle.standardError.write(Data("\(name)\n".utf8))
          var text = ""
          // The depth is enough for every type. The number of items is limited
          // because a corpus has megabytes of pictures.
          dump(value, to: &text, maxDepth: 6, maxItems: 2000)
          #expect(!text.isEmpty)
          #expect(!"\(Mirror(reflecting: value).children.map(\.label))".isEmpty)
        }
      }
    }
    let names = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      names.hasSuffix("Scroller\n"),
      "the dump ended at \(names.split(separator: "\n").last ?? "")"
    )
  }

  @Test("there is a sample for every public type")
  func complete() throws {
    let types = try publicTypes()
    #expect(types.count > 10)
    try withFeed(.s3, count: 8) { feed, loop in
      let known = Set(samples(feed, loop).keys)
      #expect(types.subtracting(known) == [])
      #expect(known.subtracting(types) == [])
    }
  }

  // Relies on the formatting of the sources, which is two columns per level and
  // one line per declaration.
  private func publicTypes() throws -> Set<String> {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources/CardFeed").standardized
    let files = try #require(FileManager.default.enumerator(atPath: folder.path))
    var types: Set<String> = []
    for case let path as String in files where path.hasSuffix(".swift") {
      var outer = ""
      for line in try String(contentsOf: folder.appending(path: path), encoding: .utf8)
        .split(separator: "\n")
      {
        guard
          let match = try /( *)([a-z ]*)\b(?:class|struct|enum|extension) (\w+).*/.wholeMatch(
            in: line
          )
        else { continue }
        let (indent, modifiers, name) = (match.1.count, match.2, String(match.3))
        if indent == 0 { outer = name }
        guard modifiers.contains("public") || modifiers.contains("open") else { continue }
        types.insert(indent == 0 ? name : "\(outer).\(name)")
      }
    }
    return types
  }
}
