import FrameBench
import Testing

@Suite("Film strip")
struct FilmStripTests {
  @Test("equal neighbouring refreshes become one rectangle of the right class and width")
  func rectangles() {
    var record = FrameRecord()
    for (isPresented, blanks) in [(true, 0), (true, 0), (false, 0), (true, 2), (true, 0)] {
      record.refreshes.append(
        FrameRecord.Refresh(isPresented: isPresented, tiles: 4, blanks: blanks)
      )
    }
    let svg = FilmStrip(title: "a<b", rows: [.init(name: "S0", record: record)]).svg
    let rects = svg.split(separator: "\n").filter { $0.hasPrefix("<rect") }
    // Viewers that ignore the background of an svg element show the paper.
    #expect(rects[0] == "<rect class=\"paper\" width=\"304\" height=\"100\"/>")
    let kinds = rects.dropFirst().map { line in
      line.split(separator: "\"").enumerated().filter { [1, 3, 7].contains($0.offset) }.map {
        String($0.element)
      }
    }
    #expect(
      kinds == [
        ["shown", "64", "12"], ["dropped", "76", "6"], ["blank", "82", "6"], ["shown", "88", "6"],
      ]
    )
    #expect(svg.contains("1 of 5 dropped, 10 % blank") && svg.contains("a&lt;b"))
  }

  @Test("a usage error exits with 2")
  func misuse() {
    for arguments in [["-x"], ["--load", "0"], ["-p", "S9"], ["--frames"]] {
      #expect(Film.run(arguments) == 2, "\(arguments)")
    }
  }
}
