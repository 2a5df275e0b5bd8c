import LoopbenchKit
import Testing

@Suite("TextTable")
struct TextTableTests {
  @Test("columns are aligned, and empty columns and trailing spaces are left out")
  func alignment() {
    var table = TextTable(titles: ["ns", "p50", "empty", "note"])
    table.add(["uv", "1.25", "", ""])
    table.add(["lt.kept", "10.50", "", "a"])
    #expect(
      table.lines(indent: "  ") == [
        "  ns         p50  note",
        "  uv        1.25",
        "  lt.kept  10.50     a",
      ]
    )
  }
}
