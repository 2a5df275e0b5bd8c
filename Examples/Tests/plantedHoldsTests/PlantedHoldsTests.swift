import Testing

@Suite("planted-holds")
struct PlantedHoldsTests {
  private func run(_ words: [String]) throws -> TestProgram.Output {
    try TestProgram.run(TestProgram.built("planted-holds"), words)
  }

  @Test("each request plants the next hold, and the program counts them")
  func holds() throws {
    let output = try run(["4"])
    #expect(
      output.lines == [
        "planted holds:",
        "  render_page  computed for 60 ms       x 2",
        "  append_log   waited 80 ms for a child x 1",
        "  read_cache   waited 70 ms for a lock  x 1",
      ]
    )
    #expect(output.code == 0 && output.errors == "")
  }

  @Test("an argument that is no positive number ends the program with the usage and a code")
  func usage() throws {
    for words in [["x"], ["0"], ["-1"], ["1", "2"]] {
      let output = try run(words)
      #expect(output.errors == "usage: planted-holds [REQUESTS]\n", "\(words)")
      #expect(output.code == 2)
    }
  }
}
