import Foundation

/// Runs the built `thumbnails`.
func thumbnails(
  _ arguments: [String],
  input: [String] = [],
  standardOutput file: FileHandle? = nil
) throws -> TestProgram.Output {
  try TestProgram.run(
    TestProgram.built("thumbnails"),
    arguments,
    input: input,
    standardOutput: file
  )
}

extension TestProgram.Output {
  /// The positions of all printed outcomes, in output order.
  var positions: [Int] { positions(of: ["made", "cancelled", "failed"], from: 0) }

  /// Returns the positions with one of `outcomes` in the lines from `first` on.
  func positions(of outcomes: Set<String>, from first: Int = 0) -> [Int] {
    lines[first...].compactMap { line in
      let words = line.split(separator: " ")
      guard words.count >= 3, outcomes.contains(String(words[0])) else { return nil }
      return Int(words[1])
    }
  }
}
