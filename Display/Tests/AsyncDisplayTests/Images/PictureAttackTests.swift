import AsyncDisplay
import LoopTransactionsTesting
import Testing

/// `scripts/soak attack` runs this suite at a larger scale and with other
/// seeds.
@Suite("Pictures under attack", .serialized)
struct PictureAttackTests {
  // D10
  @Test(
    "damaged, truncated and repeated pictures are decoded or rejected and leave no bitmap in use",
    arguments: PictureKind.allCases
  )
  func attacked(_ kind: PictureKind) {
    var generator = SeededGenerator(seed: Workload.seed)
    let pool = BitmapPool()
    var (decoded, refused, slowest) = (0, 0, Duration.zero)
    for _ in 0..<Workload.count(200) {
      let bytes = Self.damaged(kind, &generator)
      let began = ContinuousClock.now
      do {
        _ = try ImageSource.data(bytes).decode(from: pool)
        decoded += 1
      } catch {
        refused += 1
      }
      slowest = max(slowest, began.duration(to: .now))
    }
    #expect(pool.metrics.lent == 0)
    guard Workload.isReported else { return }
    let microseconds = Int(slowest / .microseconds(1))
    print("attack: kind=\(kind) decoded=\(decoded) refused=\(refused) slowest_us=\(microseconds)")
  }

  private static func damaged(_ kind: PictureKind, _ generator: inout SeededGenerator) -> [UInt8] {
    var bytes = kind.bytes
    for _ in 0...Int.random(in: 0..<3, using: &generator) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &generator)
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 1: bytes[place] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
      case 2: bytes.removeLast(min(bytes.count, Int.random(in: 1...60, using: &generator)))
      default: repeatPart(of: &bytes, to: place, &generator)
      }
    }
    if !kind.isJPEG, Int.random(in: 0..<4, using: &generator) > 0 { Checksum.repair(&bytes) }
    return bytes
  }

  /// Inserts many copies of a part: a few bytes, a segment or a whole scan.
  private static func repeatPart(
    of bytes: inout [UInt8],
    to place: Int,
    _ generator: inout SeededGenerator
  ) {
    let start = Int.random(in: 0..<bytes.count, using: &generator)
    let end = min(bytes.count, start + Int.random(in: 1...200, using: &generator))
    let part = bytes[start..<end]
    let most = max(1, (64 << 10) / part.count)
    let count = Int.random(in: 1...most, using: &generator)
    bytes.insert(contentsOf: (0..<count).flatMap { _ in part }, at: place)
  }
}
