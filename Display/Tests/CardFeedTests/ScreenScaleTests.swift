import CardFeed
import Testing

@Suite("Scale of the screen")
struct ScreenScaleTests {
  @Test("GDK_SCALE comes before Xft.dpi, and Xft.dpi before the measured dots per inch")
  func sources() {
    let all = [
      ScreenScale.scale(variable: "3", resource: "192", dots: 96),
      ScreenScale.scale(variable: nil, resource: "192", dots: 96),
      ScreenScale.scale(variable: nil, resource: nil, dots: 144),
      ScreenScale.scale(variable: nil, resource: nil, dots: nil),
    ]
    #expect(all == [3, 2, 1.5, 1])
  }

  @Test("Xft.dpi is rounded to quarters, and measured dots per inch are rounded down to halves")
  func rounds() {
    let resources = ["96", "120", "118.5", "144.0", "168", "48", "960"]
    let scales = resources.map { ScreenScale.scale(variable: nil, resource: $0, dots: nil) }
    #expect(scales == [1, 1.25, 1.25, 1.5, 1.75, 1, 4])
    let dots = [72, 118, 143, 144, 227, 2000, .nan, .infinity]
    let measured = dots.map { ScreenScale.scale(variable: nil, resource: nil, dots: $0) }
    #expect(measured == [1, 1, 1, 1.5, 2, 4, 1, 1])
  }

  @Test(
    "a value that is no positive number is ignored",
    arguments: ["", "x", "0", "-2", "nan", "inf"]
  )
  func invalid(_ value: String) {
    #expect(ScreenScale.scale(variable: value, resource: "192", dots: 96) == 2)
    #expect(ScreenScale.scale(variable: nil, resource: value, dots: 144) == 1.5)
  }
}
