// Rendering into rows of pixels.
extension Landscape {
  /// Calls `body` with all pixels, row by row. Throws `CancellationError` once
  /// `isCancelled`, which is called for each row, returns true.
  func withPixels<Result>(
    _ isCancelled: () -> Bool,
    _ body: (UnsafeBufferPointer<RGB>) throws -> Result
  ) throws -> Result {
    var pixels = [RGB](repeating: .zero, count: width * height)
    try pixels.withUnsafeMutableBufferPointer { pixels in
      try NoiseTile.shared.withNoise { noise in
        for row in 0..<height {
          if isCancelled() { throw CancellationError() }
          render(row, noise, into: pixels)
        }
        for tree in trees { render(tree, noise, into: pixels) }
        for row in 0..<height { finish(row, in: pixels) }
      }
    }
    return try pixels.withUnsafeBufferPointer(body)
  }

  private func render(_ row: Int, _ noise: Noise, into pixels: UnsafeMutableBufferPointer<RGB>) {
    let y = (Float(row) + 0.5) / Float(height)
    if let waterline, y >= waterline { return renderWater(row, y, waterline, noise, into: pixels) }
    for column in 0..<width {
      let x = Float(column) / Float(height)
      pixels[row * width + column] = point(column, x, y, ridges.count, noise)
    }
  }

  // Returns the colour of the nearest of the first `count` ridges at a point,
  // or of the sky. The edge of a ridge is as wide as a pixel.
  private func point(_ column: Int, _ x: Float, _ y: Float, _ count: Int, _ noise: Noise) -> RGB {
    for number in stride(from: count - 1, through: 0, by: -1) {
      let depth = y - ridges[number].tops[column]
      let coverage = depth * Float(height) + 0.5
      if coverage <= 0 { continue }
      let color = land(ridges[number], x, y, max(0, depth), noise)
      if coverage >= 1 { return color }
      return mix(point(column, x, y, number, noise), color, coverage)
    }
    return sky(x, y, noise)
  }

  // Reads the rows above the water's edge, which are finished.
  private func renderWater(
    _ row: Int,
    _ y: Float,
    _ waterline: Float,
    _ noise: Noise,
    into pixels: UnsafeMutableBufferPointer<RGB>
  ) {
    let last = max(0, min(height - 1, Int(waterline * Float(height)) - 1))
    let below = y - waterline
    for column in 0..<width {
      let x = Float(column) / Float(height)
      let wave = noise.at(x * 0.4 + offset, 0.35 / (0.02 + below)) - 0.5
      let mirrored = waterline - below * 0.95 + wave * below * 0.35
      let from = max(0, min(last, Int(mirrored * Float(height))))
      let shift = Int(wave * below * 0.25 * Float(height))
      let source = max(0, min(width - 1, column + shift))
      let color = water(pixels[from * width + source], y, x, noise)
      pixels[row * width + column] = shore(color, x, y, noise)
    }
  }

  // The bank in front of a lake, or the beach.
  private func shore(_ color: RGB, _ x: Float, _ y: Float, _ noise: Noise) -> RGB {
    let depth = y - bank(x, noise)
    guard depth > -0.01 else { return color }
    let grain = noise.detailed(x * 2.2 + offset, y * 2.2)
    let ground = ground.near * (0.55 + 0.7 * grain) * mix(RGB(1, 1, 1), light.sun, 0.5)
    return mix(color, ground, step(-0.01, 0.006, depth + (grain - 0.5) * 0.012))
  }

  private func render(
    _ tree: Tree,
    _ noise: Noise,
    into pixels: UnsafeMutableBufferPointer<RGB>
  ) {
    let top = Int((tree.foot - tree.height) * Float(height))
    let bottom = min(height, Int(tree.foot * Float(height)))
    guard max(0, top) < bottom else { return }
    for row in max(0, top)..<bottom {
      let y = (Float(row) + 0.5) / Float(height)
      let down = (y - tree.foot + tree.height) / tree.height
      // Branches are layers that become wider downwards.
      let layer = (down * 9 + tree.seed).truncatingRemainder(dividingBy: 1)
      let trunk: Float = 0.012 * tree.height
      let reach = down > 0.94 ? trunk : tree.height * (0.004 + 0.18 * down * (0.55 + 0.45 * layer))
      let left = max(0, Int((tree.x - reach) * Float(height)))
      let right = min(width, Int((tree.x + reach) * Float(height)) + 1)
      for column in left..<max(left, right) {
        let x = (Float(column) + 0.5) / Float(height)
        let across = (x - tree.x) / reach
        let needle = noise.at(x * 7 + tree.seed, y * 7)
        let coverage = step(1.0, 0.72, abs(across) + (needle - 0.5) * 0.7)
        let lit = 0.55 + 0.5 * needle + 0.35 * across * side * light.strength
        let green = mix(RGB(0.07, 0.13, 0.07), light.haze * 0.5, 0.10) * max(0.25, lit)
        let place = row * width + column
        pixels[place] = mix(pixels[place], green * mix(RGB(1, 1, 1), light.sun, 0.4), coverage)
      }
    }
  }

  // Contrast, darker corners and the grain of film.
  private func finish(_ row: Int, in pixels: UnsafeMutableBufferPointer<RGB>) {
    let y = Float(row) / Float(height) - 0.5
    for column in 0..<width {
      let x = Float(column) / Float(width) - 0.5
      let grain = (Self.grain(column, row) - 0.5) * 0.024
      let corner = 1 - 0.32 * (x * x + y * y)
      var color = pixels[row * width + column] * corner + RGB(repeating: grain)
      color = color.clamped(lowerBound: .zero, upperBound: RGB(repeating: 1))
      pixels[row * width + column] = mix(color, color * color * (3 - 2 * color), 0.35)
    }
  }

  // Returns a value from 0 to 1 that has nothing to do with its neighbours,
  // because repeated grain would be seen as a pattern.
  @inline(__always)
  private static func grain(_ column: Int, _ row: Int) -> Float {
    var mixed = UInt32(truncatingIfNeeded: column) &* 0x9E37_79B1
    mixed = (mixed ^ UInt32(truncatingIfNeeded: row)) &* 0x85EB_CA77
    mixed = (mixed ^ (mixed >> 15)) &* 0xC2B2_AE3D
    return Float(mixed >> 8) / Float(1 << 24)
  }
}
