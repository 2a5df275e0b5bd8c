// The colours of single points. Positions are in heights of the picture.
extension Landscape {
  /// Returns the colour of the sky.
  func sky(_ x: Float, _ y: Float, _ noise: Noise) -> RGB {
    let down = min(max(y / horizon, 0), 1)
    var color = mix(light.zenith, light.horizon, down * down * (0.4 + 0.6 * down))
    let (dx, dy) = (x - sun.x, y - sun.y)
    let distance = dx * dx + dy * dy
    let glow = 0.014 / (distance + 0.014)
    color += light.sun * (glow * 0.5 * light.strength)
    // The sun is overexposed, and its edge dissolves in the glare around it.
    let glare = 0.0007 / (distance + 0.0007) * light.strength
    color = mix(color, RGB(1, 0.98, 0.94), min(1, glare * 1.5))
    // Clouds become flat towards the horizon.
    let depth = 0.16 + (horizon - y) * 0.9
    let place = 0.10 / max(0.05, depth)
    let cloud = noise.detailed(x * place * 1.4 + offset, place * 1.6 + offset * 0.31)
    let above = noise.at(x * place * 1.4 + offset, place * 1.6 + offset * 0.31 + 0.02)
    let amount = step(0.78 - 0.45 * light.clouds, 0.95 - 0.3 * light.clouds, cloud)
    let lit = min(1, max(0, 0.72 + (above - cloud) * 1.6 + glow))
    let body = mix(light.haze * 0.72, mix(light.sun, RGB(1, 1, 1), 0.45), lit)
    return mix(color, body, amount * 0.85)
  }

  /// Returns the colour of `ridge`, `depth` below its outline.
  func land(_ ridge: Ridge, _ x: Float, _ y: Float, _ depth: Float, _ noise: Noise) -> RGB {
    // Near ground is seen larger.
    let scale = 0.34 + 0.45 * ridge.distance
    let (u, v) = (x * scale + ridge.offset, y * scale * 1.7 + ridge.offset * 0.43)
    let bump = noise.bumps(u, v)
    let toLight = noise.bumps(u + 0.007 * side, v - 0.007)
    let steepness = (ground.isSharp ? 10 : 3.2) * (1 - 0.35 * ridge.distance)
    let relief = (bump - toLight) * steepness * light.strength
    let patch = noise.at(u * 0.7 + 0.5, v * 0.7)
    var color = mix(ground.gentle, ground.steep, step(0.35, 0.65, patch + depth * 0.6))
    if ridge.distance == 0 { color = mix(color, ground.near, step(0, 0.15, depth)) }
    if ground.hasSnow, ridge.distance > 0.4 {
      // Snow lies on high and gentle slopes.
      let snow = step(0.17, 0.05, depth + (bump - 0.5) * 0.55)
      let high = step(horizon + 0.08, horizon - 0.06, y)
      let gentle = 0.35 + 0.65 * step(-0.12, 0.10, relief)
      color = mix(color, RGB(0.93, 0.95, 0.99), snow * high * gentle)
    }
    if scenery == .meadow || scenery == .lake, ridge.distance < 0.3 {
      // Flowers and tufts of grass.
      let tuft = noise.at(x * 9 + ridge.offset, y * 4)
      color *= 0.82 + 0.36 * tuft
    }
    if scenery == .forest { color *= 0.7 + 0.6 * noise.at(x * 6 + ridge.offset, y * 2.2) }
    if scenery == .desert {
      let ripple = noise.at(x * 0.6 + ridge.offset, (y + bump * 0.02) * 14)
      color *= 0.93 + 0.14 * ripple
    }
    let shade = min(1.35, max(0.30, 0.84 + relief))
    color *= mix(RGB(0.80, 0.86, 1.0), light.sun * 1.05, min(1, shade * 0.8)) * shade
    // Haze gathers at the foot of each ridge.
    let mist = min(1, ridge.haze + ridge.distance * min(0.36, depth * 1.2))
    return mix(color, mix(light.haze, light.horizon, 0.35), min(0.94, mist))
  }

  /// Returns the colour of water that reflects `reflected`.
  func water(_ reflected: RGB, _ y: Float, _ x: Float, _ noise: Noise) -> RGB {
    let line = waterline ?? 1
    let near = min(1, (y - line) / max(0.05, 1 - line))
    let deep = mix(light.zenith * 0.35, RGB(0.05, 0.13, 0.15), 0.5)
    var color = mix(reflected * 0.88, deep, 0.12 + 0.5 * near)
    let wave = noise.detailed(x * 0.5 + offset, 0.4 / (0.03 + near) + offset)
    color *= 0.9 + 0.22 * wave
    // The path of the sun.
    let path = abs(x - sun.x) / (0.03 + 0.16 * near)
    let glint = step(0.62, 0.85, wave) * max(0, 1 - path) * light.strength
    return color + light.sun * (glint * 0.6)
  }
}

/// Returns the colour between two colours.
@inline(__always)
func mix(_ one: RGB, _ other: RGB, _ part: Float) -> RGB { one + (other - one) * part }

/// Returns 0 up to `start` and 1 from `end` on, with a smooth transition.
/// `start` may be greater than `end`.
@inline(__always)
func step(_ start: Float, _ end: Float, _ value: Float) -> Float {
  let part = min(1, max(0, (value - start) / (end - start)))
  return part * part * (3 - 2 * part)
}
