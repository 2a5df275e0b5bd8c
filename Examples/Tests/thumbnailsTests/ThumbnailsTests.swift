import Foundation
import Testing

// Serialized: each run needs the processors for itself.
@Suite("thumbnails", .serialized)
struct ThumbnailsTests {
  private static let count = 60
  private static let allPositions = Set(1...count)

  // The number of invisible pictures that may come before the last visible picture. With
  // one worker, every eighth operation is the oldest operation, regardless of priority.
  // A picture is written before the next picture is decoded, so one additional picture
  // may be in progress.
  private static func outOfOrder(among visible: Int) -> Int { (2 * visible + 6) / 7 + 2 }

  private let folder: PictureFolder

  init() throws {
    folder = try PictureFolder()
    try folder.fill(Self.count)
  }

  private func run(_ arguments: [String] = [], input: [String] = []) throws -> TestProgram.Output {
    try thumbnails([folder.pictures.path, "-o", folder.out.path] + arguments, input: input)
  }

  @Test("every thumbnail is made once and has the right size")
  func makesAll() throws {
    let output = try run(["--size", "96"])
    #expect(output.code == 0 && output.errors == "")
    #expect(output.positions(of: ["made"]).sorted() == Array(1...Self.count))
    #expect(output.lines.count == Self.count + 1)
    #expect(output.lines.last?.hasPrefix("60 made, 0 cancelled, 0 failed; ") == true)
    let written = try FileManager.default.contentsOfDirectory(atPath: folder.out.path)
    #expect(written.count == Self.count, "\(written)")
    for position in 1...Self.count {
      let file = folder.out.appendingPathComponent("\(PictureFolder.name(at: position)).png")
      let expected = PictureFolder.thumbnailSize(at: position, longest: 96)
      #expect(try #require(PictureFolder.size(of: file)) == expected)
    }
  }

  @Test("visible pictures come first, and the most distant pictures come last")
  func visibleFirst() throws {
    let output = try run(["--workers", "1", "--visible", "41-50"])
    #expect(Set(output.positions) == Self.allPositions)
    let first = output.positions.prefix(10 + Self.outOfOrder(among: 10))
    #expect(first.filter((41...50).contains).count == 10, "\(output.positions)")
    #expect(output.positions.suffix(10).allSatisfy { $0 <= 20 }, "\(output.positions)")
  }

  @Test("after a scroll, most visible pictures come before the remaining ones")
  func scrolls() throws {
    let output = try run(["--workers", "1", "--visible", "1-10"], input: ["show 51-60"])
    #expect(output.code == 0 && output.positions.count == Self.count)
    let line = try #require(output.lines.firstIndex(of: "showing 51-60"))
    let after = output.positions(of: ["made"], from: line)
    // The program usually reads the command before it has decoded more than two pictures.
    #expect(after.count > 30)
    let last = try #require(after.lastIndex { $0 > 50 })
    let outOfOrder = after[...last].count { $0 <= 50 }
    // If the command did not change the priorities, all 50 other pictures would
    // come before the visible pictures. The limit is half of this number: if the
    // loop stalls, pictures that were decoded before the command are printed after
    // it.
    #expect(outOfOrder < 25, "\(after)")
  }

  @Test("skipped pictures are cancelled, and get no thumbnail")
  func skips() throws {
    let output = try run(["--workers", "1", "--visible", "1-2"], input: ["skip 30-60"])
    #expect(output.code == 0 && output.positions.count == Self.count)
    #expect(Set(output.positions) == Self.allPositions)
    let line = try #require(output.lines.firstIndex(of: "skipping 30-60"))
    let cancelled = output.positions(of: ["cancelled"], from: line)
    #expect(cancelled == Array(30...60))
    for position in cancelled {
      let file = folder.out.appendingPathComponent("\(PictureFolder.name(at: position)).png")
      #expect(!FileManager.default.fileExists(atPath: file.path))
    }
  }

  @Test("quit cancels the remaining pictures, and every outcome is printed once")
  func quits() throws {
    let output = try run(["--workers", "1"], input: ["show 20-30", "quit"])
    #expect(output.code == 0)
    #expect(output.positions.count == Self.count && Set(output.positions) == Self.allPositions)
    #expect(output.lines.contains("quitting"))
    #expect(output.positions(of: ["cancelled"]).count > 30)
    #expect(output.lines.last?.contains(" cancelled, 0 failed; ") == true)
  }

  @Test("a file with two names is decoded once, and each name gets a thumbnail")
  func sharesEqualFiles() throws {
    let (file, link) = (folder.pictures.appendingPathComponent("01.jpg"), "99.jpg")
    try FileManager.default.linkItem(at: file, to: folder.pictures.appendingPathComponent(link))
    let output = try run(["--workers", "1", "--visible", "1-1"])
    #expect(output.code == 0 && output.positions.count == Self.count + 1)
    // The link is last in the folder, but shares the operation of the first picture.
    #expect(output.positions.prefix(4).contains(Self.count + 1), "\(output.positions)")
    let sizes = ["01.jpg", link].map {
      PictureFolder.size(of: folder.out.appendingPathComponent("\($0).png"))?.width
    }
    #expect(sizes == [128, 128])
  }

  @Test("invalid pictures and commands are reported, and the other thumbnails are made")
  func reportsFailures() throws {
    try Data("no picture".utf8).write(to: folder.pictures.appendingPathComponent("61.txt"))
    let output = try run(input: ["show 70-80", "jump"])
    #expect(output.code == 1)
    #expect(output.positions(of: ["made"]).count == Self.count)
    #expect(output.positions(of: ["failed"]) == [61])
    #expect(output.errors.contains("70-80 is out of range: number of pictures is 61"))
    #expect(output.errors.contains("unknown command 'jump'"))
  }
}
