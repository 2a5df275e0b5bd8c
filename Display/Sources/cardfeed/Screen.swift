import AsyncDisplay
import CSDL
import CardFeed

/// A window that shows the frames of a feed. Each bitmap is uploaded once, as
/// an SDL texture. Use a screen on the thread that created it.
final class Screen {
  struct Failure: Error { let text: String }

  private let window: OpaquePointer
  private let renderer: OpaquePointer
  private let scale: Double
  // The textures by bitmap. Textures that a frame does not show are destroyed.
  private var textures: [ObjectIdentifier: (bitmap: Bitmap, texture: OpaquePointer)] = [:]
  private let placeholder: Bitmap

  init(size: Size, scale: Double, from pool: BitmapPool) throws {
    guard SDL_Init(ad_sdl_video) == 0 else { throw Self.failure }
    // Lets Ctrl-C end the program as usual.
    _ = SDL_SetHint("SDL_NO_SIGNAL_HANDLERS", "1")
    let (width, height) = (Int32(size.width * scale), Int32(size.height * scale))
    let place = Int32(ad_sdl_centered)
    guard let window = SDL_CreateWindow("cardfeed", place, place, width, height, 0),
      let renderer = SDL_CreateRenderer(window, -1, 0)
    else { throw Self.failure }
    self.window = window
    self.renderer = renderer
    self.scale = scale
    placeholder = try Self.placeholder(scale, from: pool)
  }

  deinit {
    for (_, texture) in textures.values { SDL_DestroyTexture(texture) }
    SDL_DestroyRenderer(renderer)
    SDL_DestroyWindow(window)
    SDL_Quit()
  }

  static var failure: Failure { Failure(text: "SDL: \(String(cString: SDL_GetError()))") }

  /// Shows `frame` with `graph` on top.
  func show(_ frame: FeedFrame, graph: Bitmap?) {
    SDL_SetRenderDrawColor(renderer, 245, 245, 245, 255)
    SDL_RenderClear(renderer)
    var used: Set<ObjectIdentifier> = []
    for tile in frame.tiles {
      if tile.contents == nil || tile.alpha < 1 { drawPlaceholder(tile.frame, &used) }
      if let contents = tile.contents { draw(contents, tile.frame, tile.alpha, &used) }
    }
    if let graph { draw(graph, Rect(x: 8, y: 8, width: 308, height: 96), 0.9, &used) }
    SDL_RenderPresent(renderer)
    for (key, entry) in textures where !used.contains(key) {
      SDL_DestroyTexture(entry.texture)
      textures[key] = nil
    }
  }

  // Draws the placeholder of the AsyncDisplayKit tutorial, a picture of 174 x
  // 223 points centred on light grey.
  private func drawPlaceholder(_ frame: Rect, _ used: inout Set<ObjectIdentifier>) {
    var rect = rect(frame)
    SDL_SetRenderDrawColor(renderer, 217, 217, 217, 255)
    SDL_RenderFillRect(renderer, &rect)
    let size = placeholder.size
    let middle = Rect(
      x: frame.midX - size.width / 2,
      y: frame.midY - size.height / 2,
      width: size.width,
      height: size.height
    )
    draw(placeholder, middle, 1, &used)
  }

  private func draw(
    _ bitmap: Bitmap,
    _ frame: Rect,
    _ alpha: Double,
    _ used: inout Set<ObjectIdentifier>
  ) {
    guard let texture = texture(of: bitmap) else { return }
    used.insert(ObjectIdentifier(bitmap))
    SDL_SetTextureAlphaMod(texture, UInt8(max(0, min(1, alpha)) * 255))
    var rect = rect(frame)
    SDL_RenderCopy(renderer, texture, nil, &rect)
  }

  private func texture(of bitmap: Bitmap) -> OpaquePointer? {
    // The entry retains the bitmap, so its identity cannot be reused.
    if let entry = textures[ObjectIdentifier(bitmap)] { return entry.texture }
    let pixels = bitmap.pixels
    let texture = SDL_CreateTexture(
      renderer,
      ad_sdl_argb,
      ad_sdl_static,
      Int32(pixels.width),
      Int32(pixels.height)
    )
    guard let texture else { return nil }
    bitmap.withPixels {
      _ = SDL_UpdateTexture(texture, nil, $0.baseAddress, Int32(pixels.stride))
    }
    SDL_SetTextureBlendMode(texture, Int32(ad_sdl_blend))
    textures[ObjectIdentifier(bitmap)] = (bitmap, texture)
    return texture
  }

  private func rect(_ frame: Rect) -> SDL_Rect {
    let (x, y) = ((frame.origin.x * scale).rounded(), (frame.origin.y * scale).rounded())
    let (right, bottom) = ((frame.maxX * scale).rounded(), (frame.maxY * scale).rounded())
    return SDL_Rect(x: Int32(x), y: Int32(y), w: Int32(right - x), h: Int32(bottom - y))
  }

  private static func placeholder(_ scale: Double, from pool: BitmapPool) throws -> Bitmap {
    let size = Size(width: 174, height: 223)
    guard let pixels = try PixelSize(size, scale: scale) else {
      throw Failure(text: "--scale is too small to draw the placeholder")
    }
    return try Bitmap.draw(pixels, scale: scale, from: pool) { context in
      context.fill(Rect(size: size), with: Color(white: 0.85))
      context.stroke(Rect(size: size), radius: 12, width: 4, with: Color(white: 0.75))
      context.fill(Rect(x: 110, y: 40, width: 34, height: 34), radius: 17, with: Color(white: 0.75))
      for (x, high) in [(20.0, 70.0), (62, 110), (104, 84)] {
        let hill = Rect(x: x, y: 203 - high, width: 50, height: high)
        context.fill(hill, radius: 25, with: Color(white: 0.75))
      }
    }
  }
}
