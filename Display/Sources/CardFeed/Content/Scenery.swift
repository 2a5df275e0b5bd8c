/// A kind of landscape, which the texts and the picture of a card share.
package enum Scenery: CaseIterable, Hashable, Sendable {
  case mountains, lake, coast, meadow, forest, desert
}

/// A red, a green and a blue component from 0 to 1.
typealias RGB = SIMD3<Float>

/// The light of a landscape: the colours of the sky and of distant haze.
struct Light: Sendable {
  var zenith: RGB
  var horizon: RGB
  var sun: RGB
  var haze: RGB
  /// How strongly the sun lights slopes.
  var strength: Float
  /// The share of the sky that clouds cover.
  var clouds: Float
  /// How far the sun is below the top, as a share of the sky.
  var heights: ClosedRange<Double>

  static let all = [
    // Dawn.
    Light(
      zenith: RGB(0.30, 0.44, 0.66),
      horizon: RGB(0.99, 0.78, 0.62),
      sun: RGB(1, 0.74, 0.46),
      haze: RGB(0.90, 0.76, 0.70),
      strength: 0.9,
      clouds: 0.45,
      heights: 0.72...0.95
    ),
    // Noon.
    Light(
      zenith: RGB(0.16, 0.38, 0.72),
      horizon: RGB(0.70, 0.83, 0.93),
      sun: RGB(1, 0.96, 0.88),
      haze: RGB(0.68, 0.78, 0.88),
      strength: 1,
      clouds: 0.5,
      heights: 0.1...0.45
    ),
    // Dusk.
    Light(
      zenith: RGB(0.20, 0.27, 0.46),
      horizon: RGB(0.98, 0.66, 0.42),
      sun: RGB(1, 0.68, 0.42),
      haze: RGB(0.58, 0.50, 0.56),
      strength: 0.75,
      clouds: 0.6,
      heights: 0.78...0.98
    ),
    // Overcast.
    Light(
      zenith: RGB(0.48, 0.54, 0.61),
      horizon: RGB(0.83, 0.85, 0.86),
      sun: RGB(0.92, 0.93, 0.94),
      haze: RGB(0.78, 0.81, 0.83),
      strength: 0.35,
      clouds: 0.85,
      heights: 0.2...0.6
    ),
  ]
}

/// The colours of land.
struct Ground: Sendable {
  /// Steep slopes, and gentle slopes.
  var steep: RGB
  var gentle: RGB
  /// The foreground.
  var near: RGB
  /// Whether peaks have snow.
  var hasSnow = false
  /// Whether slopes are sharp.
  var isSharp = false

  static func of(_ scenery: Scenery) -> Ground {
    switch scenery {
    case .mountains:
      Ground(
        steep: RGB(0.33, 0.32, 0.34),
        gentle: RGB(0.30, 0.36, 0.22),
        near: RGB(0.15, 0.21, 0.10),
        hasSnow: true,
        isSharp: true
      )
    case .lake:
      Ground(
        steep: RGB(0.30, 0.31, 0.32),
        gentle: RGB(0.18, 0.29, 0.17),
        near: RGB(0.13, 0.19, 0.09),
        hasSnow: true,
        isSharp: true
      )
    case .coast:
      Ground(
        steep: RGB(0.44, 0.39, 0.33),
        gentle: RGB(0.34, 0.39, 0.22),
        near: RGB(0.58, 0.52, 0.40)
      )
    case .meadow:
      Ground(
        steep: RGB(0.28, 0.36, 0.16),
        gentle: RGB(0.45, 0.52, 0.20),
        near: RGB(0.33, 0.42, 0.13)
      )
    case .forest:
      Ground(
        steep: RGB(0.13, 0.21, 0.14),
        gentle: RGB(0.17, 0.28, 0.15),
        near: RGB(0.08, 0.14, 0.07)
      )
    case .desert:
      Ground(
        steep: RGB(0.60, 0.36, 0.22),
        gentle: RGB(0.84, 0.62, 0.40),
        near: RGB(0.78, 0.54, 0.33)
      )
    }
  }
}
