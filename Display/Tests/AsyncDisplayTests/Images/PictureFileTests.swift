import AsyncDisplay
import Foundation
import Testing

@Suite("Files of pictures")
struct PictureFileTests {
  // D-31
  @Test("a pipe that nobody writes, and a folder, are refused, not waited for")
  func noFile() async {
    await #expect(processExitsWith: .success) {
      // What waits for a writer is ended.
      alarm(20)
      let path = NSTemporaryDirectory() + "/pipe \(getpid())"
      require(mkfifo(path, 0o600) == 0)
      defer { unlink(path) }
      for path in [path, "/", "/dev/zero"] {
        do {
          _ = try ImageSource.file(path).decode(from: BitmapPool())
          exit(2)
        } catch { require(error as? ImageError == .notAFile(path: path)) }
      }
      // Nor does a node whose picture is one, which looks how large it is.
      try withDisplay { display in
        let node = ImageNode()
        node.frame = Rect(x: 0, y: 0, width: 8, height: 8)
        node.image = .file(path)
        node.load(in: display)
        require(display.settle() && node.failure as? ImageError == .notAFile(path: path))
      }
    }
  }

  // D-31
  @Test("reading is cancelled between blocks of 64 KiB")
  func cancelled() throws {
    let path = NSTemporaryDirectory() + "/picture \(UUID().uuidString)"
    try Data(count: 1 << 20).write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let asked = Tally()
    #expect(throws: ImageError.unknownFormat) {
      try ImageSource.file(path).decode(from: BitmapPool()) {
        asked.count()
        return false
      }
    }
    #expect(asked.value == 17)
    let again = Tally()
    #expect(throws: CancellationError.self) {
      try ImageSource.file(path).decode(from: BitmapPool()) { again.count() == 5 }
    }
    #expect(again.value == 5)
  }
}

/// Ends the process with a failure unless `condition` holds.
private func require(_ condition: Bool) { if !condition { exit(1) } }
