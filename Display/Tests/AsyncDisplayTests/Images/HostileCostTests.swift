import AsyncDisplay
import Foundation
import LoopTransactionsTesting
import Testing

/// Limits the memory that hostile content takes. Each picture and each text is
/// measured in a process of its own, because the system records the peak memory
/// of a whole process.
///
/// With `LT_FIGURES=1` the suite prints the longest time between two polls for
/// cancellation and the memory. `scripts/soak attack` does so.
@Suite("Cost of hostile content", .serialized)
struct HostileCostTests {
  // A sanitizer multiplies memory, and other systems than Linux do not tell the
  // peak.
  private static let isLimited = Cost.peak > 0 && !Workload.isShort

  // D10
  @Test(
    "a hostile picture takes at most 128 MiB beyond its bitmap",
    .enabled(if: isLimited),
    arguments: hostilePictures.keys.sorted()
  )
  func picture(_ name: String) async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      [name] in
      let make = try #require(hostilePictures[name])
      let bytes = make()
      let pool = BitmapPool(keepLimit: 0)
      let cost = Cost("\(name), \(bytes.count / 1024) KiB", pool) { isCancelled in
        _ = try ImageSource.data(bytes).decode(from: pool, isCancelled: isCancelled)
      }
      #expect(cost.bytes <= 128 << 20, "\(cost)")
    }
    printFigures(result)
  }

  // D8
  @Test(
    "a hostile text takes at most 128 MiB beyond its bitmap",
    .enabled(if: isLimited),
    arguments: hostileTexts.keys.sorted()
  )
  func text(_ name: String) async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      [name] in
      let make = try #require(hostileTexts[name])
      for width in [1, 50, 320, .infinity] {
        let cost = Cost("\(name), \(width) wide", BitmapPool()) { isCancelled in
          let text = make()
          _ = isCancelled()
          _ = text.measure(TextStyle(), in: Size(width: width, height: .infinity))
        }
        #expect(cost.bytes <= 128 << 20, "\(cost)")
      }
      let pool = BitmapPool(keepLimit: 0)
      let cost = Cost("\(name), drawn", pool) { isCancelled in
        let text = make()
        var style = TextStyle()
        style.truncation = .middle
        let room = Rect(x: 0, y: 0, width: 320, height: 1000)
        _ = try Bitmap.draw(PixelSize(width: 320, height: 1000), from: pool) {
          try text.draw(style, in: room, of: $0, isCancelled: isCancelled)
        }
      }
      #expect(cost.bytes <= 128 << 20, "\(cost)")
    }
    printFigures(result)
  }

  @Test("the measurement finds memory that was freed before its end", .enabled(if: isLimited))
  func measures() async {
    await #expect(processExitsWith: .success) {
      let cost = Cost("160 MiB", BitmapPool()) { _ in
        let bytes = [UInt8](repeating: 1, count: 160 << 20)
        #expect(bytes.last == 1)
      }
      #expect(cost.bytes > 150 << 20, "\(cost)")
    }
  }

  private func printFigures(_ result: ExitTest.Result?) {
    guard ProcessInfo.processInfo.environment["LT_FIGURES"] == "1" else { return }
    let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    for line in output.split(separator: "\n") where line.hasPrefix("cost:") { print(line) }
  }
}

/// The CPU time and the memory that some code takes.
private struct Cost: CustomStringConvertible {
  /// The growth of the process's memory beyond the bitmaps of the pool.
  private(set) var bytes = 0
  private(set) var description = ""

  /// Measures `body`, which calls its argument to poll for cancellation, and
  /// prints the figures.
  init(_ name: String, _ pool: BitmapPool, _ body: (() -> Bool) throws -> Void) {
    Self.resetPeak()
    let (before, start) = (Self.peak, Self.seconds)
    var (last, longest, polls) = (start, 0.0, 0)
    var result = "done"
    do {
      try body {
        let now = Self.seconds
        (longest, last, polls) = (max(longest, now - last), now, polls + 1)
        return false
      }
    } catch {
      result = "\(error)"
    }
    let end = Self.seconds
    longest = max(longest, end - last)
    bytes = Self.peak - before - pool.metrics.peakLentBytes
    let figures = String(
      format: "cost: %7.1f ms between polls, %8.1f ms in all, %6d polls, %6.1f MiB: ",
      longest * 1e3,
      (end - start) * 1e3,
      polls,
      Double(max(0, bytes)) / 0x1p20
    )
    description = figures + name + ": " + result
    print(description)
  }

  private static var seconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// The peak memory of this process since `resetPeak()`; 0 if the system does
  /// not tell.
  static var peak: Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") }
    return (Int(line?.split(separator: " ").dropLast().last ?? "") ?? 0) << 10
  }

  private static func resetPeak() {
    try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
  }
}

// Pictures under 1 MB, by name.
private let hostilePictures: [String: @Sendable () -> [UInt8]] = {
  typealias JPEG = HostilePictures.JPEG
  @Sendable func scans(_ count: Int, _ bytes: Int) -> [Int] {
    [Int](repeating: bytes, count: count)
  }
  @Sendable func random(_ kind: UInt8) -> [UInt8] {
    var generator = SeededGenerator(seed: Workload.seed)
    var bytes = JPEG(kind: kind, width: 16_384, height: 3000, scans: [900_000]).bytes
    for index in (bytes.count - 899_000)..<(bytes.count - 2) {
      bytes[index] = UInt8(generator.next() % 255)
    }
    return bytes
  }
  return [
    "500 scans": { JPEG(width: 16_000, height: 3900, scans: scans(500, 880)).bytes },
    "32 scans": { JPEG(width: 8192, height: 4096, scans: scans(32, 30_000)).bytes },
    "500 scans, small": { JPEG(width: 2048, height: 1024, scans: scans(500, 1800)).bytes },
    "4:4:4 in scans": {
      JPEG(width: 16_384, height: 4096, factors: [0x11, 0x11, 0x11], scans: [900_000]).bytes
    },
    "4:2:0 in scans": {
      JPEG(width: 16_000, height: 2600, factors: [0x22, 0x11, 0x11], scans: [900_000]).bytes
    },
    "blocks 4 x 4": {
      JPEG(width: 16_384, height: 1200, factors: [0x44, 0x11, 0x11], scans: scans(50, 18_000)).bytes
    },
    "largest": { JPEG(kind: 0xC0, width: 16_384, height: 4096, scans: [900_000]).bytes },
    "largest, arithmetic": {
      JPEG(kind: 0xC9, width: 16_384, height: 4096, scans: [900_000]).bytes
    },
    "arithmetic, in scans": {
      JPEG(kind: 0xCA, width: 8192, height: 4096, scans: scans(32, 25_000)).bytes
    },
    "arithmetic, random": { random(0xC9) },
    "arithmetic, random, in scans": { random(0xCA) },
    "notes": { JPEG(kind: 0xC0, width: 64, height: 64, notes: 900_000).bytes },
    "PNG of 1 bit": { HostilePictures.png(16_384, 4096, depth: 1, color: 0) },
    "PNG of 64 bits": { HostilePictures.png(8192, 2048, depth: 16, color: 6) },
  ]
}()

// Texts by name. Most are under 1 MB; `paragraph` is cut.
private let hostileTexts: [String: @Sendable () -> AttributedText] = {
  @Sendable func plain(_ part: String, _ count: Int) -> AttributedText {
    AttributedText(
      String(repeating: part, count: count),
      TextAttributes(font: Font("DejaVu Sans", size: 14))
    )
  }
  @Sendable func runs(_ attributes: (Int) -> TextAttributes) -> AttributedText {
    var text = AttributedText()
    for number in 0..<5000 { text.append("a", attributes(number)) }
    return text
  }
  return [
    "marks": { plain("a" + String(repeating: "\u{301}\u{316}", count: 100_000), 1) },
    "letters with marks": { plain("a" + String(repeating: "\u{301}", count: 40), 12_000) },
    "paragraph": { plain("Nothing is set in lines ", 400_000) },
    "word": { plain("fi", 500_000) },
    "spaces": { plain(" ", 1_000_000) },
    "paragraphs": { plain("a\n", 500_000) },
    "tabs": { plain("a\t", 500_000) },
    "embeddings": { plain("\u{202A}\u{202B}a", 100_000) },
    "both ways": { plain("a\u{5D0}", 300_000) },
    "emoji": { plain("👨‍", 100_000) },
    "tight": {
      var attributes = TextAttributes(font: Font("DejaVu Sans", size: 14))
      attributes.letterSpacing = -4
      return AttributedText(String(repeating: "i", count: 9000), attributes)
    },
    "runs": {
      runs {
        TextAttributes(
          font: Font("DejaVu Sans", size: 14),
          color: Color(white: Double($0 % 2), alpha: 1)
        )
      }
    },
    "fonts": { runs { TextAttributes(font: Font("DejaVu Sans", size: 10 + Double($0) / 100)) } },
  ]
}()
