/// Runs one case in one of the host programs.
enum HostProgram {
  private struct Failed: Error {
    let output: TestProgram.Output
  }

  /// Returns the figures that the case prints.
  static func run(_ name: String, _ which: String) throws -> [String: Double] {
    let output = try output(name, which)
    guard output.code == 0 else { throw Failed(output: output) }
    return output.figures
  }

  static func output(_ name: String, _ which: String) throws -> TestProgram.Output {
    let display = ["gtk-host", "sdl-host"].contains(name) ? try VirtualDisplay() : nil
    defer { withExtendedLifetime(display) {} }
    return try TestProgram.run(
      TestProgram.built(name),
      which.split(separator: " ").map(String.init),
      environment: ["DISPLAY": display?.name]
    )
  }
}

extension TestProgram.Output {
  /// The figures, from lines that consist of a name and a number.
  var figures: [String: Double] {
    lines.reduce(into: [:]) { figures, line in
      let words = line.split(separator: " ")
      if words.count == 2 { figures[String(words[0])] = Double(words[1]) }
    }
  }
}
