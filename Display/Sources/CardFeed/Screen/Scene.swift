package import AsyncDisplay

/// Everything that a screen shows at one moment, from back to front.
///
/// A scene is a value. The colour of each of its pixels depends only on the
/// scene and the position, so a part can be painted without the rest.
package struct Scene: Sendable {
  /// The identity of an item. An item keeps it from scene to scene.
  package enum ID: Hashable, Sendable {
    case shadow(Int)
    case placeholder(Int)
    case placeholderIcon(Int)
    case card(Int)
    case focus(Int)
    case like(Int)
    case dim
    case panelShadow
    case panelBackground
    case panel
    case panelLike
    case close
    case graph
  }

  /// The pixels of an item. Colours are premultiplied, as in a `Bitmap`.
  package enum Content: Sendable {
    /// One colour.
    case color(UInt32)
    /// A bitmap of the size of the item's frame. `isOpaque` promises that no
    /// pixel is translucent.
    case bitmap(Bitmap, isOpaque: Bool)
    /// A frame of any size: the corners of the bitmap, and its edges repeated
    /// between them. The inside, `inset` pixels from the edges, is empty.
    case frame(Bitmap, inset: Int)
  }

  /// A part of the scene.
  package struct Item: Sendable {
    package var id: ID
    package var frame: PixelRect
    package var content: Content
    /// The opacity of the whole item.
    package var alpha: UInt8 = 255
    /// The part of the screen to which the item is clipped, or nil for its
    /// frame.
    package var clip: PixelRect?
    /// The radius to which the corners of the clip are cut, in pixels.
    package var radius = 0

    package init(
      _ id: ID,
      _ frame: PixelRect,
      _ content: Content,
      alpha: UInt8 = 255,
      clip: PixelRect? = nil,
      radius: Int = 0
    ) {
      (self.id, self.frame, self.content) = (id, frame, content)
      (self.alpha, self.clip, self.radius) = (alpha, clip, radius)
    }

    /// The rectangle whose corners are cut.
    var shape: PixelRect { clip ?? frame }
  }

  /// The size in pixels.
  package var size: PixelSize
  /// The opaque colour behind the items.
  package var background: UInt32
  /// The items, from back to front. No two have the same identity.
  package var items: [Item] = []

  /// Creates an empty scene.
  package init(size: PixelSize, background: UInt32) {
    (self.size, self.background) = (size, background)
  }

  /// All pixels.
  package var bounds: PixelRect { PixelRect(x: 0, y: 0, width: size.width, height: size.height) }
}

extension Scene.Content {
  /// Whether both contents have the same pixels. Equal bitmaps are one object,
  /// because the pixels of a bitmap never change.
  fileprivate func isSame(as other: Scene.Content) -> Bool {
    switch (self, other) {
    case (.color(let one), .color(let two)): one == two
    case (.bitmap(let one, let isOpaque), .bitmap(let two, let isOtherOpaque)):
      one === two && isOpaque == isOtherOpaque
    case (.frame(let one, let inset), .frame(let two, let otherInset)):
      one === two && inset == otherInset
    case (.color, _), (.bitmap, _), (.frame, _): false
    }
  }
}

extension Scene.Item {
  fileprivate func isSame(as other: Scene.Item) -> Bool {
    frame == other.frame && alpha == other.alpha && clip == other.clip && radius == other.radius
      && content.isSame(as: other.content)
  }

  /// The pixels that the item may change: the whole frame, or only its edges if
  /// the inside is empty.
  fileprivate var touched: [PixelRect] {
    guard case .frame(_, let inset) = content else { return [frame.intersection(shape)] }
    let hole = PixelRect(
      x: frame.x + inset,
      y: frame.y + inset,
      width: frame.width - 2 * inset,
      height: frame.height - 2 * inset
    )
    return frame.subtracting(hole)
  }
}

// Damage.
extension Scene {
  /// Returns the pixels that may differ between `old` and this scene.
  ///
  /// - Complexity: O(n) in the items of both scenes.
  package func damage(since old: Scene) -> Region {
    guard size == old.size, background == old.background else { return Region(bounds) }
    let places = Dictionary(
      old.items.enumerated().map { ($1.id, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    var (damage, remaining, last) = (Region(), Set(old.items.indices), -1)
    for item in items {
      guard let place = places[item.id] else {
        for rect in item.touched { damage.add(rect) }
        continue
      }
      remaining.remove(place)
      let before = old.items[place]
      // An item that moved behind another one changes where they overlap.
      let isInOrder = place > last
      last = max(last, place)
      if isInOrder, item.isSame(as: before) { continue }
      for rect in before.touched + item.touched { damage.add(rect) }
    }
    for place in remaining { for rect in old.items[place].touched { damage.add(rect) } }
    return damage.clipped(to: bounds)
  }
}
