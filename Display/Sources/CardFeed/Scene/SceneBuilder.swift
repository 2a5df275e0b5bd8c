package import AsyncDisplay

/// Builds the scene of a feed and its details view. All bitmaps have the size
/// at which they are shown, so no pixel is interpolated.
package struct SceneBuilder: Sendable {
  private let art: SceneArt
  private var scale: Double { art.scale }
  private var radius: Int { pixels(FeedParts.cornerRadius) }

  // 0xAARRGGBB.
  private static let (background, grey): (UInt32, UInt32) = (0xFFEC_ECEE, 0xFFD9_D9D9)
  private static let (dim, panel): (UInt32, UInt32) = (0x9900_0000, 0xFFFF_FFFF)

  /// Creates a builder.
  package init(_ art: SceneArt) { self.art = art }

  /// Returns the scene of `frame` and `model` in `size` pixels.
  ///
  /// - Parameter details: The content of the open details view, once it is
  ///   drawn.
  package func scene(
    of frame: FeedFrame,
    _ model: FeedModel,
    details: Bitmap?,
    size: PixelSize,
    at time: Double
  ) -> Scene {
    var scene = Scene(size: size, background: Self.background)
    // All shadows lie behind all cards.
    for tile in frame.tiles {
      let (rect, drop) = (card(tile), pixels(SceneArt.shadowDrop))
      let place = rect.grown(by: pixels(SceneArt.shadowReach)).moved(down: drop)
      let content = Scene.Content.frame(art.shadow, inset: art.shadowInset)
      scene.items.append(Scene.Item(.shadow(tile.index), place, content))
    }
    for tile in frame.tiles { add(tile, model, to: &scene) }
    if let open = model.details { add(open, details, model, to: &scene, at: time) }
    return scene
  }

  /// Adds `graph` on top of everything.
  package func add(_ graph: Bitmap, to scene: inout Scene) {
    scene.items.append(item(.graph, graph, at: Point(x: 8, y: 8)))
  }

  private func add(_ tile: FeedFrame.Tile, _ model: FeedModel, to scene: inout Scene) {
    let rect = card(tile)
    let contents = tile.contents.flatMap { isSize(of: $0, rect) ? $0 : nil }
    let alpha = contents == nil ? 0 : UInt8(min(max(tile.alpha, 0), 1) * 255)
    if alpha < 255 {
      scene.items.append(
        Scene.Item(.placeholder(tile.index), rect, .color(Self.grey), radius: radius)
      )
      let size = art.icon.pixels
      let place = PixelRect(
        x: rect.x + (rect.width - size.width) / 2,
        y: rect.y + (rect.height - size.height) / 2,
        width: size.width,
        height: size.height
      )
      scene.items.append(
        Scene.Item(.placeholderIcon(tile.index), place, .bitmap(art.icon, isOpaque: false))
      )
    }
    if let contents {
      scene.items.append(
        Scene.Item(
          .card(tile.index),
          rect,
          .bitmap(contents, isOpaque: true),
          alpha: alpha,
          radius: radius
        )
      )
    }
    if model.focus == tile.index {
      let ring = rect.grown(by: pixels(SceneArt.ringGap + SceneArt.ringWidth))
      scene.items.append(
        Scene.Item(.focus(tile.index), ring, .frame(art.ring, inset: art.ringInset))
      )
    }
    let place = FeedParts.like(in: tile.frame).origin
    scene.items.append(item(.like(tile.index), heart(tile.index, model), at: place))
  }

  private func add(
    _ open: FeedModel.Details,
    _ contents: Bitmap?,
    _ model: FeedModel,
    to scene: inout Scene,
    at time: Double
  ) {
    let panel = FeedParts.panel(in: model.size)
    let rect = rect(panel)
    scene.items.append(Scene.Item(.dim, scene.bounds, .color(Self.dim)))
    scene.items.append(Scene.Item(.panelBackground, rect, .color(Self.panel), radius: radius))
    if let contents {
      var place = panel.origin
      place.y -= open.scroller.position(at: time)
      var item = item(.panel, contents, at: place, isOpaque: true)
      (item.clip, item.radius) = (rect, radius)
      scene.items.append(item)
    }
    let like = FeedParts.detailsLike(in: panel).origin
    scene.items.append(item(.panelLike, heart(open.index, model), at: like))
    scene.items.append(item(.close, art.close, at: FeedParts.close(in: panel).origin))
  }

  private func heart(_ index: Int, _ model: FeedModel) -> Bitmap {
    if model.pressedLike == index { return art.pressedLike }
    return model.likes.contains(index) ? art.liked : art.like
  }
}

// Points and pixels.
extension SceneBuilder {
  private func pixels(_ points: Double) -> Int { Int((points * scale).rounded()) }

  private func rect(_ frame: Rect) -> PixelRect {
    let (x, y) = (pixels(frame.origin.x), pixels(frame.origin.y))
    return PixelRect(x: x, y: y, width: pixels(frame.maxX) - x, height: pixels(frame.maxY) - y)
  }

  // The size of a card does not depend on where it lies between two pixels.
  private func card(_ tile: FeedFrame.Tile) -> PixelRect {
    let (x, y) = (pixels(tile.frame.origin.x), pixels(tile.frame.origin.y))
    // try?: a card that is too large for a bitmap has no pixels.
    guard let size = try? PixelSize(tile.frame.size, scale: scale) else { return .empty }
    return PixelRect(x: x, y: y, width: size.width, height: size.height)
  }

  private func isSize(of bitmap: Bitmap, _ rect: PixelRect) -> Bool {
    bitmap.pixels.width == rect.width && bitmap.pixels.height == rect.height
  }

  private func item(
    _ id: Scene.ID,
    _ bitmap: Bitmap,
    at place: Point,
    isOpaque: Bool = false
  ) -> Scene.Item {
    let frame = PixelRect(
      x: pixels(place.x),
      y: pixels(place.y),
      width: bitmap.pixels.width,
      height: bitmap.pixels.height
    )
    return Scene.Item(id, frame, .bitmap(bitmap, isOpaque: isOpaque))
  }
}

extension PixelRect {
  fileprivate func grown(by margin: Int) -> PixelRect {
    PixelRect(
      x: x - margin,
      y: y - margin,
      width: width + 2 * margin,
      height: height + 2 * margin
    )
  }

  fileprivate func moved(down distance: Int) -> PixelRect {
    PixelRect(x: x, y: y + distance, width: width, height: height)
  }
}
