import AsyncDisplay
import Foundation
import Testing

/// Measures the cost of hostile content. With `LT_FIGURES=1` the suite prints
/// the longest time between two polls for cancellation and the peak memory of
/// the process. Without this variable the suite is disabled.
@Suite(
  "Cost of hostile content",
  .enabled(if: ProcessInfo.processInfo.environment["LT_FIGURES"] == "1"),
  .serialized
)
struct HostileCostTests {
  private typealias JPEG = HostilePictures.JPEG
  private let pool = BitmapPool(keepLimit: 0)

  private static func seconds(_ clock: clockid_t = CLOCK_THREAD_CPUTIME_ID) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  // The peak memory of this process since `resetPeak()`, in kilobytes.
  private static var memory: Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") }
    return Int(line?.split(separator: " ").dropLast().last ?? "") ?? 0
  }

  private static func resetPeak() {
    try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
  }

  // Prints the cost of `body`. `body` receives a function and calls it to poll
  // for cancellation.
  private func measure(_ name: String, _ body: (() -> Bool) throws -> Void) {
    Self.resetPeak()
    let (before, start) = (Self.memory, Self.seconds())
    var (last, longest, looks) = (start, 0.0, 0)
    var result = "done"
    do {
      try body {
        let now = Self.seconds()
        (longest, last, looks) = (max(longest, now - last), now, looks + 1)
        return false
      }
    } catch {
      result = "\(error)"
    }
    let end = Self.seconds()
    longest = max(longest, end - last)
    let grown = Double(Self.memory - before) / 1024
    let figures = String(
      format: "%7.1f ms between polls, %8.1f ms in all, %6d polls, %6.1f MiB: ",
      longest * 1e3,
      (end - start) * 1e3,
      looks,
      grown
    )
    Swift.print(figures + name + ": " + result)
  }

  private func picture(_ name: String, _ bytes: [UInt8]) {
    measure("\(name), \(bytes.count / 1024) KiB") {
      _ = try ImageSource.data(bytes).decode(from: pool, isCancelled: $0)
    }
  }

  @Test("pictures")
  func pictures() {
    func scans(_ count: Int, _ bytes: Int) -> [Int] { [Int](repeating: bytes, count: count) }
    picture("500 scans", JPEG(width: 16_000, height: 3900, scans: scans(500, 880)).bytes)
    picture("32 scans", JPEG(width: 8192, height: 4096, scans: scans(32, 30_000)).bytes)
    picture("500 scans, small", JPEG(width: 2048, height: 1024, scans: scans(500, 1800)).bytes)
    picture(
      "4:4:4 in scans",
      JPEG(width: 16_384, height: 4096, factors: [0x11, 0x11, 0x11], scans: [900_000]).bytes
    )
    picture(
      "4:2:0 in scans",
      JPEG(width: 16_000, height: 2600, factors: [0x22, 0x11, 0x11], scans: [900_000]).bytes
    )
    picture(
      "blocks 4 x 4",
      JPEG(width: 16_384, height: 1200, factors: [0x44, 0x11, 0x11], scans: scans(50, 18_000)).bytes
    )
    for kind in [0xC0, 0xC9] as [UInt8] {
      picture(
        "largest, \(kind)",
        JPEG(kind: kind, width: 16_384, height: 4096, scans: [900_000]).bytes
      )
    }
    picture(
      "arithmetic, in scans",
      JPEG(kind: 0xCA, width: 8192, height: 4096, scans: scans(32, 25_000)).bytes
    )
    var generator = SystemRandomNumberGenerator()
    for kind in [0xC9, 0xCA] as [UInt8] {
      var bytes = JPEG(kind: kind, width: 16_384, height: 3000, scans: [900_000]).bytes
      for index in (bytes.count - 899_000)..<(bytes.count - 2) {
        bytes[index] = UInt8(generator.next() % 255)
      }
      picture("arithmetic, random, \(kind)", bytes)
    }
    picture("notes", JPEG(kind: 0xC0, width: 64, height: 64, notes: 1_000_000).bytes)
    picture("PNG of 1 bit", HostilePictures.png(16_384, 4096, depth: 1, color: 0))
    picture("PNG of 64 bits", HostilePictures.png(8192, 2048, depth: 16, color: 6))
  }

  @Test("text")
  func text() {
    let plain = TextAttributes(font: Font("DejaVu Sans", size: 14))
    let texts = [
      "marks": "a" + String(repeating: "\u{301}\u{316}", count: 100_000),
      "letters with marks": String(
        repeating: "a" + String(repeating: "\u{301}", count: 40),
        count: 20_000
      ),
      "paragraph": String(repeating: "Nothing is set in lines ", count: 400_000),
      "word": String(repeating: "fi", count: 500_000),
      "spaces": String(repeating: " ", count: 1_000_000),
      "paragraphs": String(repeating: "a\n", count: 500_000),
      "tabs": String(repeating: "a\t", count: 500_000),
      "embeddings": String(repeating: "\u{202A}\u{202B}a", count: 100_000),
      "both ways": String(repeating: "a\u{5D0}", count: 300_000),
      "emoji": String(repeating: "👨‍", count: 100_000),
    ]
    for (name, string) in texts.sorted(by: { $0.key < $1.key }) {
      for width in [1, 50, 320, .infinity] {
        measure("\(name), \(string.utf8.count >> 10) KiB, \(width) wide") { isCancelled in
          let text = AttributedText(string, plain)
          _ = isCancelled()
          _ = text.measure(TextStyle(), in: Size(width: width, height: .infinity))
        }
      }
      measure("\(name), drawn") { isCancelled in
        let text = AttributedText(string, plain)
        var style = TextStyle()
        style.truncation = .middle
        _ = try Bitmap.draw(PixelSize(width: 320, height: 1000), from: pool) {
          try text.draw(
            style,
            in: Rect(x: 0, y: 0, width: 320, height: 1000),
            of: $0,
            isCancelled: isCancelled
          )
        }
      }
    }
    var (runs, fonts) = (AttributedText(), AttributedText())
    for number in 0..<5000 {
      runs.append(
        "a",
        TextAttributes(font: plain.font, color: Color(white: Double(number % 2), alpha: 1))
      )
      fonts.append("a", TextAttributes(font: Font("DejaVu Sans", size: 10 + Double(number) / 100)))
    }
    var tight = plain
    tight.letterSpacing = -4
    let narrow = AttributedText(String(repeating: "i", count: 9000), tight)
    measure("tight") { _ in _ = narrow.measure(TextStyle(), in: Size(width: 7, height: .infinity)) }
    measure("stretches") { _ in
      _ = runs.measure(TextStyle(), in: Size(width: 50, height: .infinity))
    }
    measure("fonts") { _ in _ = fonts.measure(TextStyle(), in: Size(width: 50, height: .infinity)) }
  }
}
