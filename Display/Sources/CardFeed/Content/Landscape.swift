import LoopTransactionsTesting

/// A landscape that looks like a photograph: a sky with a sun and clouds, ridges
/// that fade into the haze, a lake with reflections, and trees.
///
/// A landscape is a function of its seed. It is the same at every size, except
/// for details that are smaller than a pixel.
struct Landscape {
  let scenery: Scenery
  let light: Light
  let ground: Ground

  let width: Int
  let height: Int
  /// The height of the horizon, from 0 at the top to 1 at the bottom. Like all
  /// lengths, it is in heights of the picture.
  let horizon: Float
  let sun: SIMD2<Float>
  /// The position of the water's edge, or nil without water.
  let waterline: Float?
  let offset: Float
  /// The direction of the light across the picture: -1 or 1.
  let side: Float

  /// The ridges, from the farthest to the nearest.
  private(set) var ridges: [Ridge] = []
  private(set) var trees: [Tree] = []

  init(_ scenery: Scenery, width: Int, height: Int, _ random: inout SeededGenerator) {
    self.scenery = scenery
    (self.width, self.height) = (width, height)
    var light = Light.all[Int(random.next() % UInt64(Light.all.count))]
    // Distant desert and sea are clear more often.
    if scenery == .desert { light.clouds *= 0.6 }
    self.light = light
    ground = Ground.of(scenery)
    let aspect = Float(width) / Float(height)
    horizon = Float(random.number(in: 0.42...0.56))
    offset = Float(random.unit()) * 40
    let sunX = Float(random.number(in: 0.15...0.85)) * aspect
    sun = SIMD2(sunX, horizon * Float(random.number(in: light.heights)))
    side = sunX < aspect / 2 ? -1 : 1
    switch scenery {
    case .lake: waterline = horizon + Float(random.number(in: 0.10...0.18))
    case .coast: waterline = horizon
    case .mountains, .meadow, .forest, .desert: waterline = nil
    }
    ridges = makeRidges(&random)
    trees = makeTrees(&random, aspect)
  }
}

/// The outline and the look of a row of hills.
struct Ridge {
  /// The height of the outline for each column of pixels.
  let tops: [Float]
  /// The share of haze in its colour.
  let haze: Float
  /// How far away it is, from 1 to 0.
  let distance: Float
  /// The position of its noise.
  let offset: Float
}

/// A conifer in the foreground.
struct Tree {
  let x: Float
  let foot: Float
  let height: Float
  let seed: Float
}

// The shapes.
extension Landscape {
  private func makeRidges(_ random: inout SeededGenerator) -> [Ridge] {
    let (count, middle) = (scenery == .coast ? 2 : 5, Float(width) / Float(height) / 2)
    return NoiseTile.shared.withNoise { noise in
      (0..<count).map { number in
        let near = Float(number) / Float(max(1, count - 1))
        let offset = offset + Float(number) * 3.17 + Float(random.unit())
        let rise = near == 0 || near == 1 ? 0 : Float(random.number(in: -0.04...0.04))
        let slope = Float(random.number(in: -0.14...0.14)) * (waterline == nil ? 1 : 0.5)
        let tops = (0..<width).map { column in
          let x = Float(column) / Float(height)
          return top(x, near, offset, noise) + rise + slope * (x - middle)
        }
        return Ridge(
          tops: tops,
          haze: (1 - near) * (scenery == .forest ? 0.8 : 0.56),
          distance: 1 - near,
          offset: offset
        )
      }
    }
  }

  // Returns the outline of a ridge at `x`. `near` is 0 for the farthest ridge
  // and 1 for the nearest.
  private func top(_ x: Float, _ near: Float, _ offset: Float, _ noise: Noise) -> Float {
    let (row, span) = (offset * 0.61, (ground.isSharp ? 0.20 : 0.11) + 0.04 * near)
    let coarse = noise.at(x * span + offset, row)
    let fine = noise.at(x * span * 6 + offset, row + 0.3)
    let rough = noise.at(x * span * 31 + offset, row + 0.6)
    var shape = 0.72 * coarse + 0.2 * fine + 0.05 * rough
    if ground.isSharp, near < 0.7 {
      // Folded noise has the sharp crests of rock.
      let folded = 1 - min(1, abs(2 * coarse - 1) * 1.5)
      shape = 0.66 * folded * folded + 0.22 * (1 - abs(2 * fine - 1)) + 0.10 * rough
    }
    if scenery == .desert { shape = 0.9 * coarse + 0.08 * (1 - abs(2 * fine - 1)) }
    // Distant woods end in the tips of trees.
    if scenery == .forest {
      shape += (0.05 + 0.11 * near) * abs(noise.at(x * 4.1 + offset, row) - 0.5)
    }
    let (base, high): (Float, Float) =
      switch scenery {
      case .mountains: (horizon + 0.06 + 0.34 * near, 0.46 - 0.26 * near)
      case .lake: (horizon + 0.10 + 0.10 * near, 0.44 - 0.30 * near)
      case .coast: (horizon + 0.015 + 0.10 * near * side * (x - 0.4), 0.06 + 0.16 * near)
      case .meadow: (horizon + 0.10 + 0.40 * near, 0.24 - 0.06 * near)
      case .forest: (horizon + 0.08 + 0.42 * near, 0.34 - 0.08 * near)
      case .desert: (horizon + 0.06 + 0.40 * near, 0.18 + 0.04 * near)
      }
    return base - high * shape
  }

  private func bank(_ x: Float) -> Float { NoiseTile.shared.withNoise { bank(x, $0) } }

  /// Returns the lower edge of the water at `x`.
  func bank(_ x: Float, _ noise: Noise) -> Float {
    0.90 + 0.10 * noise.at(x * 0.13 + offset, 0.2) - 0.05 * side * (x - 0.35)
  }

  private func makeTrees(_ random: inout SeededGenerator, _ aspect: Float) -> [Tree] {
    let count =
      switch scenery {
      case .forest: 26
      case .lake: 11
      case .mountains: 9
      case .meadow: 3
      case .coast, .desert: 0
      }
    let groups = (0..<3).map { _ in Float(random.unit()) * aspect }
    let trees = (0..<count).map { number in
      // Trees stand in groups, and single ones between them.
      let group = groups[number % groups.count]
      let spread = number % 4 == 0 ? aspect : 0.16
      let height = Float(random.number(in: 0.10...0.34)) * (scenery == .meadow ? 0.6 : 1)
      let x = group + (Float(random.unit()) - 0.5) * spread
      // No tree stands in the water.
      let nearest = waterline == nil ? 0.90 : Double(bank(x)) + 0.012
      return Tree(
        x: x,
        foot: Float(random.number(in: nearest...max(nearest, 1.02))),
        height: height,
        seed: Float(random.unit()) * 9
      )
    }
    return trees.sorted { $0.foot < $1.foot }
  }
}
