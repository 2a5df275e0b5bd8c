import Foundation
import Testing

@Suite("thumbnails: what it refuses")
struct RefusalTests {
  private let folder: PictureFolder

  init() throws {
    folder = try PictureFolder()
    try folder.fill(1)
  }

  @Test(
    "bad options begin nothing, and say what is wrong",
    arguments: [
      ([], "which folder"),
      (["--size"], "--size needs a value"),
      (["--size", "0"], "--size is within 1 and 4096, not '0'"),
      (["--workers", "many"], "--workers is within 1 and 256, not 'many'"),
      (["--visible", "5-2"], "'5-2' is no range"),
      (["--visible", "1-2-3"], "'1-2-3' is no range"),
      (["--visible", ""], "--visible needs a value"),
      (["--colour"], "there is no option '--colour'"),
      (["a", "b"], "one folder at a time"),
      (["a"], "where to?"),
    ]
  )
  func options(_ arguments: [String], _ complaint: String) throws {
    let output = try thumbnails(arguments)
    #expect(output.code == 2 && output.lines == [])
    #expect(output.errors.contains(complaint), "\(output.errors)")
  }

  @Test("folders that can not be used are named")
  func folders() throws {
    let (pictures, out) = (folder.pictures.path, folder.out.path)
    let empty = folder.url.appendingPathComponent("empty")
    try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)
    let cases: [([String], String)] = [
      (["\(pictures)/none", "-o", out], "cannot read the folder '\(pictures)/none'"),
      (["\(pictures)/01.jpg", "-o", out], "cannot read the folder '\(pictures)/01.jpg'"),
      ([empty.path, "-o", out], "there is no file in '\(empty.path)'"),
      ([pictures, "-o", pictures], "is the folder of the pictures"),
      ([pictures, "-o", "\(pictures)/01.jpg/out"], "cannot make the folder"),
      ([pictures, "-o", out, "--visible", "1-2"], "1-2 is out of range: there are 1 pictures"),
    ]
    for (arguments, complaint) in cases {
      let output = try thumbnails(arguments)
      #expect(output.code == 2 && output.lines == [])
      #expect(output.errors.contains(complaint), "\(output.errors)")
    }
  }

  @Test(
    "where nothing can be told any more, it says so and ends",
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"))
  )
  func fullOutput() throws {
    let full = FileHandle(forWritingAtPath: "/dev/full")
    let arguments = [folder.pictures.path, "-o", folder.out.path]
    let output = try thumbnails(arguments, standardOutput: full)
    #expect(output.code == 2)
    #expect(output.errors == "thumbnails: cannot write to standard output\n")
  }

  @Test("help goes to standard output")
  func help() throws {
    let output = try thumbnails(["--help"])
    #expect(output.code == 0 && output.errors == "")
    #expect(output.lines.first?.hasPrefix("usage: thumbnails FOLDER -o OUT") == true)
  }
}
