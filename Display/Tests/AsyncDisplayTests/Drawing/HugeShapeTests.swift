import AsyncDisplay
import Foundation
import Testing

@Suite("Shapes too large to draw")
struct HugeShapeTests {
  private let pool = BitmapPool()

  private func draw(_ body: (DrawingContext) throws -> Void) throws -> Bitmap {
    try Bitmap.draw(PixelSize(width: 64, height: 64), from: pool, body)
  }

  // D6
  @Test("shapes of any size and radius are drawn in finite time")
  func end() async {
    await #expect(processExitsWith: .success) {
      // Kills the process if a drawing does not end.
      alarm(60)
      let pool = BitmapPool()
      let odd: [Double] = [.nan, .infinity, -.infinity, 1e300, 1e60, 1e39, 1e20, 1e7, 5, 0, -1]
      for length in odd {
        for radius in odd {
          _ = try Bitmap.draw(PixelSize(width: 64, height: 64), from: pool) { context in
            for rect in [
              Rect(x: 0, y: 0, width: length, height: length),
              Rect(x: -length, y: radius, width: 2 * length, height: 30),
            ] {
              context.fill(rect, radius: radius, with: .black)
              context.stroke(rect, radius: radius, width: radius, with: .black)
              context.saved { context.clip(to: rect, radius: radius) }
            }
          }
        }
      }
    }
  }

  // D6
  @Test(
    "the visible part of a huge shape is drawn in the right place",
    arguments: [1e9, 1e20, 1e60, 1e300]
  )
  func inSight(_ length: Double) throws {
    let pill = try draw {
      $0.fill(Rect(x: 0, y: 10, width: length, height: 20), radius: 10, with: .red)
    }
    #expect(pill.pixel(0, 10) == 0 && pill.pixel(63, 10) == 0xFFFF_0000)
    #expect(pill.pixel(1, 20) == 0xFFFF_0000 && pill.pixel(30, 9) == 0 && pill.pixel(30, 30) == 0)
    let around = try draw {
      $0.fill(Rect(x: -length, y: -length, width: 2 * length, height: 2 * length), with: .red)
    }
    let isFull = around.withPixels { $0.allSatisfy { $0 == 0xFFFF_0000 } }
    #expect(isFull)
    let line = try draw {
      $0.stroke(Rect(x: 10, y: -length, width: 40, height: 2 * length), width: 2, with: .red)
    }
    #expect(line.pixel(9, 5) == 0 && line.pixel(10, 60) == 0xFFFF_0000)
    #expect(line.pixel(12, 30) == 0 && line.pixel(49, 30) == 0xFFFF_0000 && line.pixel(50, 0) == 0)
    let beside = try draw {
      $0.fill(Rect(x: length, y: 0, width: length, height: 64), with: .red)
      $0.fill(Rect(x: .nan, y: 0, width: 64, height: 64), with: .red)
      $0.clip(to: Rect(x: 0, y: 0, width: .infinity, height: 64))
      $0.fill(with: .red)
    }
    let isEmpty = beside.withPixels { $0.allSatisfy { $0 == 0 } }
    #expect(isEmpty)
  }
}
