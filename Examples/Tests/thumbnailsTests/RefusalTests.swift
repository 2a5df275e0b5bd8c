import Foundation
import Testing

@Suite("thumbnails: refused input")
struct RefusalTests {
  private let folder: PictureFolder

  init() throws {
    folder = try PictureFolder()
    try folder.fill(1)
  }

  @Test(
    "invalid options are reported on standard error with code 2",
    arguments: [
      ([], "FOLDER is missing"),
      (["--size"], "--size needs a value"),
      (["--size", "0"], "--size must be from 1 to 4096, got '0'"),
      (["--workers", "many"], "--workers must be from 1 to 256, got 'many'"),
      (["--visible", "5-2"], "invalid range '5-2'"),
      (["--visible", "1-2-3"], "invalid range '1-2-3'"),
      (["--visible", ""], "--visible needs a value"),
      (["--colour"], "unknown option '--colour'"),
      (["a", "b"], "expected one folder, got 'a' and 'b'"),
      (["a"], "-o OUT is missing"),
    ]
  )
  func options(_ arguments: [String], _ message: String) throws {
    let output = try thumbnails(arguments)
    #expect(output.code == 2 && output.lines == [])
    #expect(output.errors.contains(message), "\(output.errors)")
  }

  @Test("errors name the folders that cannot be used")
  func folders() throws {
    let (pictures, out) = (folder.pictures.path, folder.out.path)
    let empty = folder.url.appendingPathComponent("empty")
    try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)
    let cases: [([String], String)] = [
      (["\(pictures)/none", "-o", out], "cannot read the folder '\(pictures)/none'"),
      (["\(pictures)/01.jpg", "-o", out], "cannot read the folder '\(pictures)/01.jpg'"),
      ([empty.path, "-o", out], "the folder '\(empty.path)' has no files"),
      ([pictures, "-o", pictures], "the output folder '\(pictures)' contains the pictures"),
      ([pictures, "-o", "\(pictures)/01.jpg/out"], "cannot create the folder"),
      ([pictures, "-o", out, "--visible", "1-2"], "1-2 is out of range: number of pictures is 1"),
    ]
    for (arguments, message) in cases {
      let output = try thumbnails(arguments)
      #expect(output.code == 2 && output.lines == [])
      #expect(output.errors.contains(message), "\(output.errors)")
    }
  }

  @Test(
    "a failed write to standard output is reported and ends the program with code 2",
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"))
  )
  func fullOutput() throws {
    let full = FileHandle(forWritingAtPath: "/dev/full")
    let arguments = [folder.pictures.path, "-o", folder.out.path]
    let output = try thumbnails(arguments, standardOutput: full)
    #expect(output.code == 2)
    #expect(output.errors == "thumbnails: cannot write to standard output\n")
  }

  @Test("a lack of descriptors is reported and ends the program with code 2")
  func noDescriptors() throws {
    let words = [TestProgram.built("thumbnails"), folder.pictures.path, "-o", folder.out.path]
    let limited = ["-c", "ulimit -n 6; exec \"$0\" \"$@\""] + words
    let output = try TestProgram.run("/bin/sh", limited)
    #expect(output.code == 2)
    #expect(output.errors.contains("(EMFILE)"), "\(output.errors)")
  }

  @Test("--help prints to standard output")
  func help() throws {
    let output = try thumbnails(["--help"])
    #expect(output.code == 0 && output.errors == "")
    #expect(output.lines.first?.hasPrefix("usage: thumbnails FOLDER -o OUT") == true)
  }
}
