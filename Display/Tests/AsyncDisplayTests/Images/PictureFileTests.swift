import AsyncDisplay
import Foundation
import Testing

@Suite("Files of pictures")
struct PictureFileTests {
  @Test("a pipe without a writer, a folder and a device are rejected without waiting for them")
  func noFile() async {
    await #expect(processExitsWith: .success) {
      // Kills the process if it waits for a writer.
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
      // A node that measures the size of such a file does not wait either.
      try withDisplay { display in
        let node = ImageNode()
        node.frame = Rect(x: 0, y: 0, width: 8, height: 8)
        node.image = .file(path)
        node.load(in: display)
        require(display.settle() && node.failure as? ImageError == .notAFile(path: path))
      }
    }
  }

  @Test("a path with a zero byte is rejected, and not read up to the byte")
  func cutPath() {
    let path = "/dev/zero\0.png"
    #expect(throws: ImageError.unreadable(path: path, code: EINVAL)) {
      try ImageSource.file(path).decode(from: BitmapPool())
    }
  }

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

/// Exits with a failure unless `condition` holds.
private func require(_ condition: Bool) { if !condition { exit(1) } }
