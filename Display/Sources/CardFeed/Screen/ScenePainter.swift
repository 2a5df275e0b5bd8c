package import AsyncDisplay

/// The pixels of a screen's buffer. The memory belongs to the screen.
package struct PixelBuffer {
  let start: UnsafeMutablePointer<UInt32>
  /// The number of pixels from one row to the next.
  let stride: Int
  let bounds: PixelRect

  /// Creates a buffer of `size` pixels at `start`.
  package init(_ start: UnsafeMutablePointer<UInt32>, stride: Int, size: PixelSize) {
    (self.start, self.stride) = (start, stride)
    bounds = PixelRect(x: 0, y: 0, width: size.width, height: size.height)
  }
}

/// Paints regions of scenes.
///
/// Each pixel is computed from the scene alone, in integers. A region has
/// therefore the same bytes as the same part of a whole scene.
package final class ScenePainter {
  private var masks: [Int: CornerMask] = [:]

  /// Creates a painter.
  package init() {}

  /// Paints the part of `scene` in `region` into `buffer`.
  package func paint(_ scene: Scene, _ region: Region, into buffer: PixelBuffer) {
    for rect in region.rects { paint(scene, rect.intersection(buffer.bounds), into: buffer) }
  }

  private func paint(_ scene: Scene, _ rect: PixelRect, into buffer: PixelBuffer) {
    guard !rect.isEmpty else { return }
    let first = scene.items.lastIndex { $0.hides(rect) }
    if first == nil {
      for y in rect.y..<rect.bottom {
        (buffer.start + y * buffer.stride + rect.x)
          .update(repeating: scene.background, count: rect.width)
      }
    }
    for item in scene.items[(first ?? 0)...] {
      let part = item.frame.intersection(item.shape).intersection(rect)
      if !part.isEmpty, item.alpha > 0 { paint(item, part, into: buffer) }
    }
  }

  private func paint(_ item: Scene.Item, _ part: PixelRect, into buffer: PixelBuffer) {
    switch item.content {
    case .color(let color):
      withUnsafePointer(to: color) {
        let source = Source(start: $0, stride: 0, step: 0, isOpaque: color >> 24 == 255)
        paint(item, part, source, buffer)
      }
    case .bitmap(let bitmap, let isOpaque):
      bitmap.withPixels { pixels in
        guard let start = pixels.baseAddress else { return }
        let stride = bitmap.pixels.width
        paint(item, part, Source(start: start, stride: stride, step: 1, isOpaque: isOpaque), buffer)
      }
    case .frame(let bitmap, let inset):
      bitmap.withPixels { pixels in
        guard let start = pixels.baseAddress else { return }
        let edges = FrameSource(
          start: start,
          width: bitmap.pixels.width,
          height: bitmap.pixels.height,
          inset: inset
        )
        paintFrame(item, part, edges, buffer)
      }
    }
  }
}

extension Scene.Item {
  /// Whether no pixel of `rect` shows anything behind the item.
  fileprivate func hides(_ rect: PixelRect) -> Bool {
    guard alpha == 255, radius == 0, frame.contains(rect), shape.contains(rect) else {
      return false
    }
    switch content {
    case .color(let color): return color >> 24 == 255
    case .bitmap(_, let isOpaque): return isOpaque
    case .frame: return false
    }
  }
}

/// Pixels to read. In one colour, all positions read the same pixel.
private struct Source {
  let start: UnsafePointer<UInt32>
  let stride: Int
  let step: Int
  let isOpaque: Bool
}

// Bitmaps and colours, with round corners.
extension ScenePainter {
  private func paint(
    _ item: Scene.Item,
    _ part: PixelRect,
    _ source: Source,
    _ buffer: PixelBuffer
  ) {
    // Columns and rows count from the shape, whose corners are cut.
    let shape = item.shape
    let (width, height) = (shape.width, shape.height)
    let radius = min(item.radius, width / 2, height / 2)
    let mask = radius > 0 ? mask(radius) : nil
    let (left, right) = (part.x - shape.x, part.right - shape.x)
    for row in part.y..<part.bottom {
      let y = row - shape.y
      let from =
        source.start + (row - item.frame.y) * source.stride
        + (shape.x - item.frame.x) * source.step
      let to = buffer.start + row * buffer.stride + shape.x
      let corner = y < radius ? y : y >= height - radius ? height - 1 - y : radius
      guard let mask, corner < radius else {
        copy(from, to, left..<right, source, item.alpha)
        continue
      }
      let coverage = mask.coverage[corner * radius..<(corner + 1) * radius]
      for x in left..<max(left, min(right, radius)) {
        blend(from[x * source.step], to + x, item.alpha, coverage[corner * radius + x])
      }
      let middle = max(left, radius)..<max(left, radius, min(right, width - radius))
      copy(from, to, middle, source, item.alpha)
      for x in max(left, width - radius)..<max(left, width - radius, right) {
        blend(from[x * source.step], to + x, item.alpha, coverage[corner * radius + width - 1 - x])
      }
    }
  }

  private func mask(_ radius: Int) -> CornerMask {
    if let mask = masks[radius] { return mask }
    let mask = CornerMask(radius: radius)
    masks[radius] = mask
    return mask
  }

  private func copy(
    _ from: UnsafePointer<UInt32>,
    _ to: UnsafeMutablePointer<UInt32>,
    _ range: Range<Int>,
    _ source: Source,
    _ alpha: UInt8
  ) {
    guard !range.isEmpty else { return }
    if source.isOpaque, alpha == 255 {
      if source.step == 0 {
        (to + range.lowerBound).update(repeating: from.pointee, count: range.count)
      } else {
        (to + range.lowerBound).update(from: from + range.lowerBound, count: range.count)
      }
      return
    }
    for x in range { blend(from[x * source.step], to + x, alpha, 255) }
  }

  @inline(__always)
  private func blend(
    _ pixel: UInt32,
    _ target: UnsafeMutablePointer<UInt32>,
    _ alpha: UInt8,
    _ coverage: UInt8
  ) {
    var pixel = pixel
    if alpha < 255 { pixel = Blending.scaled(pixel, by: UInt32(alpha)) }
    if coverage < 255 { pixel = Blending.scaled(pixel, by: UInt32(coverage)) }
    target.pointee = Blending.over(pixel, target.pointee)
  }
}

/// The bitmap of a frame, whose corners have `inset` pixels.
private struct FrameSource {
  let start: UnsafePointer<UInt32>
  let width: Int
  let height: Int
  let inset: Int

  /// Returns the row or column of the bitmap for position `place` of `length`.
  @inline(__always)
  func source(_ place: Int, of length: Int, in size: Int) -> Int {
    if place < inset { return place }
    return place >= length - inset ? size - (length - place) : inset
  }
}

// Frames.
extension ScenePainter {
  private func paintFrame(
    _ item: Scene.Item,
    _ part: PixelRect,
    _ source: FrameSource,
    _ buffer: PixelBuffer
  ) {
    let (width, height, inset) = (item.frame.width, item.frame.height, source.inset)
    for row in part.y..<part.bottom {
      let y = row - item.frame.y
      let from = source.start + source.source(y, of: height, in: source.height) * source.width
      let to = buffer.start + row * buffer.stride + item.frame.x
      let (left, right) = (part.x - item.frame.x, part.right - item.frame.x)
      // A row through the inside consists of the left and the right edge.
      let isInside = y >= inset && y < height - inset && width > 2 * inset
      let hole = isInside ? inset..<width - inset : right..<right
      for x in left..<max(left, min(right, hole.lowerBound)) {
        blend(from[source.source(x, of: width, in: source.width)], to + x, item.alpha, 255)
      }
      for x in max(left, hole.upperBound)..<max(left, hole.upperBound, right) {
        blend(from[source.source(x, of: width, in: source.width)], to + x, item.alpha, 255)
      }
    }
  }
}
