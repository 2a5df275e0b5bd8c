package import AsyncDisplay

/// The bitmaps that all cards share: shadows, buttons and placeholders.
package struct SceneArt: Sendable {
  /// The distance that a shadow reaches beyond a card, and how far it lies
  /// below the card, in points.
  static let (shadowReach, shadowDrop) = (14.0, 4.0)
  // The distance of the focus ring from the card, and its width.
  static let (ringGap, ringWidth) = (1.0, 3.0)

  /// The number of pixels per point.
  let scale: Double
  let shadow: Bitmap
  let shadowInset: Int
  let ring: Bitmap
  let ringInset: Int
  let like: Bitmap
  let liked: Bitmap
  let pressedLike: Bitmap
  let close: Bitmap
  let icon: Bitmap

  /// Draws the bitmaps for `scale`.
  ///
  /// - Throws: `DisplayError` if memory runs out.
  package init(scale: Double, from pool: BitmapPool) throws {
    self.scale = scale
    (shadow, shadowInset) = try Self.shadow(scale, pool)
    (ring, ringInset) = try Self.ring(scale, pool)
    let red = Color(red: 0.96, green: 0.22, blue: 0.32)
    like = try Self.likeButton(Color(white: 1, alpha: 0.95), 0.62, scale, pool)
    liked = try Self.likeButton(red, 0.72, scale, pool)
    pressedLike = try Self.likeButton(red.withAlpha(0.7), 0.5, scale, pool)
    close = try Self.button(scale, pool) { try Self.cross($0) }
    icon = try Self.placeholderIcon(scale, pool)
  }

  private static func draw(
    _ width: Double,
    _ height: Double,
    _ scale: Double,
    _ pool: BitmapPool,
    _ body: (DrawingContext) throws -> Void
  ) throws -> Bitmap {
    let pixels = try PixelSize(Size(width: width, height: height), scale: scale)
    return try Bitmap.draw(
      pixels ?? PixelSize(width: 1, height: 1),
      scale: scale,
      from: pool,
      body
    )
  }
}

// Frames, whose edges are repeated.
extension SceneArt {
  private static func shadow(_ scale: Double, _ pool: BitmapPool) throws -> (Bitmap, Int) {
    // The edges must not reach into the blur of the corners.
    let inset = (2 * shadowReach + FeedParts.cornerRadius) * scale
    let corner = Int(inset.rounded(.up)) + 1
    let side = 2 * corner + 1
    let sharp = try Bitmap.draw(PixelSize(width: side, height: side), from: pool) { context in
      let (reach, length) = (shadowReach * scale, Double(side) - 2 * shadowReach * scale)
      let rect = Rect(x: reach, y: reach, width: length, height: length)
      context.fill(
        rect,
        radius: FeedParts.cornerRadius * scale,
        with: Color(white: 0, alpha: 0.32)
      )
    }
    // The blur reaches three times its radius.
    let blur = BlurFilter(radius: max(1, shadowReach * scale / 3))
    return (try blur.apply(to: sharp, from: pool), corner)
  }

  private static func ring(_ scale: Double, _ pool: BitmapPool) throws -> (Bitmap, Int) {
    let outer = FeedParts.cornerRadius + ringGap + ringWidth
    let corner = Int((outer * scale).rounded(.up)) + 1
    let side = 2 * corner + 1
    let ring = try Bitmap.draw(PixelSize(width: side, height: side), from: pool) { context in
      context.stroke(
        Rect(x: 0, y: 0, width: Double(side), height: Double(side)),
        radius: outer * scale,
        width: ringWidth * scale,
        with: Color(red: 0.16, green: 0.46, blue: 0.95)
      )
    }
    return (ring, corner)
  }
}

// Buttons and the placeholder.
extension SceneArt {
  private static func button(
    _ scale: Double,
    _ pool: BitmapPool,
    _ body: (DrawingContext) throws -> Void
  ) throws -> Bitmap {
    let side = FeedParts.buttonSize
    return try draw(side, side, scale, pool) { context in
      let circle = Rect(x: 1, y: 1, width: side - 2, height: side - 2)
      context.fill(circle, radius: side / 2, with: Color(white: 0, alpha: 0.45))
      try body(context)
    }
  }

  // The heart is drawn four times as large and reduced, because rows of pixels
  // have jagged edges.
  private static func likeButton(
    _ color: Color,
    _ size: Double,
    _ scale: Double,
    _ pool: BitmapPool
  ) throws -> Bitmap {
    let side = FeedParts.buttonSize
    let large = try draw(side, side, 4 * scale, pool) { heart($0, color, size) }
    return try button(scale, pool) {
      try $0.draw(large, in: Rect(size: Size(width: side, height: side)))
    }
  }

  // Draws a heart of `size` times the width of a button, row by row.
  private static func heart(_ context: DrawingContext, _ color: Color, _ size: Double) {
    let (middle, unit) = (FeedParts.buttonSize / 2, FeedParts.buttonSize * size / 2.4)
    let row = 1 / context.scale
    for y in stride(from: 0, to: FeedParts.buttonSize, by: row) {
      let v = (middle - y - row / 2) / unit + 0.12
      // The curve (u² + v² − 1)³ = u²v³, searched from the outside.
      func isInside(_ u: Double) -> Bool {
        let ring = u * u + v * v - 1
        return ring * ring * ring - u * u * v * v * v <= 0
      }
      let steps = Array(stride(from: 1.3, to: 0, by: -row / unit / 4))
      guard let outer = steps.first(where: isInside) else { continue }
      let inner = isInside(0) ? 0 : steps.last(where: isInside) ?? 0
      let (near, length) = (inner * unit, (outer - inner) * unit)
      for x in [middle + near, middle - near - length] {
        context.fill(Rect(x: x, y: y, width: length, height: row), with: color)
      }
    }
  }

  private static func cross(_ context: DrawingContext) throws {
    let (side, style) = (FeedParts.buttonSize, TextStyle())
    let text = AttributedText("×", size: 28, weight: 400, color: .white)
    let size = text.measure(style, in: Size(width: side, height: side * 2)).size
    let place = Point(x: (side - size.width) / 2, y: (side - size.height) / 2)
    let rect = Rect(origin: place, size: Size(width: side, height: 2 * side))
    try text.draw(style, in: rect, of: context)
  }

  // The placeholder of the AsyncDisplayKit tutorial, a picture of 174 x 223
  // points.
  private static func placeholderIcon(_ scale: Double, _ pool: BitmapPool) throws -> Bitmap {
    try draw(174, 223, scale, pool) { context in
      let (rect, grey) = (Rect(x: 0, y: 0, width: 174, height: 223), Color(white: 0.75))
      context.stroke(rect, radius: 12, width: 4, with: grey)
      context.fill(Rect(x: 110, y: 40, width: 34, height: 34), radius: 17, with: grey)
      for (x, high) in [(20.0, 70.0), (62, 110), (104, 84)] {
        context.fill(Rect(x: x, y: 203 - high, width: 50, height: high), radius: 25, with: grey)
      }
    }
  }
}
