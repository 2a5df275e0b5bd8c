import AsyncDisplay
import CPixbuf
import CardFeed
import Foundation
import Testing

/// Compares cards with images that were inspected by eye. The cards are small,
/// and have no text because fonts differ between machines.
///
/// If DISPLAY_GOLDEN=write is set in the environment, the tests overwrite the
/// expected images. Inspect the new images before you commit them.
@Suite("Golden pictures")
struct GoldenTests {
  // The limits for the largest and the mean difference of a colour channel, on
  // a scale of 255. Versions of the JPEG decoder, Cairo and pixman round
  // differently.
  private static let (most, mean) = (12, 1.0)

  @Test("cards without text match their golden images", arguments: [1, 3, 5])
  func golden(_ index: Int) throws {
    try withFeed(.s0, corpus: CardCorpus(scale: 0.25).withoutText) { feed, _ in
      let picture = try #require(feed.drawAlone(index))
      let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
      let path = "\(folder)/Golden/card-\(index).png"
      if ProcessInfo.processInfo.environment["DISPLAY_GOLDEN"] == "write" {
        try Data(png(picture)).write(to: URL(fileURLWithPath: path))
      }
      let expected = try ImageSource.file(path).decode(from: BitmapPool())
      try #require(expected.pixels == picture.pixels)
      let differences = differences(picture, expected)
      #expect(differences.max() ?? 255 <= Self.most)
      let sum = Double(differences.reduce(0, +))
      #expect(sum / Double(differences.count) <= Self.mean)
    }
  }

  @Test("the pictures of two cards differ by more than ten times the tolerance")
  func others() throws {
    try withFeed(.s0, corpus: CardCorpus(scale: 0.25).withoutText) { feed, _ in
      // The two cards have the same size.
      let (one, other) = (feed.drawAlone(1), feed.drawAlone(7))
      let differences = differences(try #require(one), try #require(other))
      #expect(Double(differences.reduce(0, +)) / Double(differences.count) > 10 * Self.mean)
    }
  }

  private func differences(_ one: Bitmap, _ other: Bitmap) -> [Int] {
    one.withPixels { mine in
      other.withPixels { theirs in
        zip(mine, theirs).flatMap { left, right in
          [0, 8, 16, 24].map { abs(Int(left >> $0 & 0xFF) - Int(right >> $0 & 0xFF)) }
        }
      }
    }
  }

  private func png(_ bitmap: Bitmap) -> [UInt8] {
    let (width, height) = (bitmap.pixels.width, bitmap.pixels.height)
    guard let picture = gdk_pixbuf_new(0, 0, 8, Int32(width), Int32(height)),
      let target = gdk_pixbuf_get_pixels(picture)
    else { return [] }
    defer { g_object_unref(UnsafeMutableRawPointer(picture)) }
    let stride = Int(gdk_pixbuf_get_rowstride(picture))
    bitmap.withPixels { pixels in
      for (index, pixel) in pixels.enumerated() {
        let place = target + index / width * stride + 3 * (index % width)
        for (channel, shift) in [16, 8, 0].enumerated() {
          place[channel] = UInt8(truncatingIfNeeded: pixel >> shift)
        }
      }
    }
    var (bytes, count) = (UnsafeMutablePointer<CChar>?.none, 0)
    guard gdk_pixbuf_save_to_bufferv(picture, &bytes, &count, "png", nil, nil, nil) != 0 else {
      return []
    }
    defer { g_free(bytes) }
    return [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
  }
}
