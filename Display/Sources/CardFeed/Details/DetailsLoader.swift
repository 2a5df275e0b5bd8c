package import AsyncDisplay
import LoopTransactions

/// Builds and draws the content of the details view off the loop. Use it on the
/// loop only.
///
/// The content shows the card's picture first, because that is there already.
/// The picture in the size of the panel replaces it once it is rendered.
package final class DetailsLoader {
  /// Called on the loop when the content was laid out or drawn.
  package var onChange: (() -> Void)?

  // The content that is shown or under way.
  private struct Key: Equatable {
    var index: Int
    var panel: DetailsPanel
  }

  private let corpus: CardCorpus
  private let display: Display
  private var key: Key?
  private var node: DetailsNode?
  // The content with the picture in the size of the panel, until it is drawn.
  private var next: DetailsNode?
  private var building: AsyncTransaction.Operation?

  /// Creates a loader that draws with the workers of `stage`.
  package init(_ corpus: CardCorpus, stage: FeedStage) {
    self.corpus = corpus
    display = stage.displays[0]
  }

  /// The height of the content in points, once it is laid out.
  package var height: Double? { node?.frame.size.height }

  /// The content, once it is drawn.
  package var contents: Bitmap? { node?.layer?.contents }

  /// Whether the content is drawn, with the picture in the size of the panel.
  package var isComplete: Bool { building == nil && next == nil && contents != nil }

  /// Shows the card at `index` in a panel of `size`. Does nothing if it is
  /// already shown.
  package func show(_ index: Int, in size: Size, scale: Double) {
    let panel = DetailsPanel(size: size, scale: scale)
    let wanted = Key(index: index, panel: panel)
    guard wanted != key else { return }
    clear()
    key = wanted
    let content = corpus[index]
    building = display.build(priority: .interactive) { _ -> sending DetailsNode in
      DetailsNode(content, in: panel)
    } completion: { [weak self] outcome in
      guard let self, key == wanted, let node = outcome.value else { return }
      (self.node, building) = (node, nil)
      load(node) { [weak self] in self?.onChange?() }
      sharpen(content, wanted)
      onChange?()
    }
  }

  /// Cancels and releases the content.
  package func clear() {
    building?.cancel()
    for node in [node, next] {
      node?.onDisplayed = nil
      node?.unload()
    }
    (key, node, next, building) = (nil, nil, nil, nil)
  }

  // Renders the picture in the size of the panel, unless the card's is as large.
  private func sharpen(_ content: CardContent, _ wanted: Key) {
    let panel = wanted.panel
    guard let pixels = panel.picturePixels(of: content), pixels.width > content.pixels.width
    else { return }
    building = display.build(priority: .normal) { operation -> sending DetailsNode in
      let picture = try content.picture(of: pixels) { operation.isCancelled }
      return DetailsNode(content, picture: picture, in: panel)
    } completion: { [weak self] outcome in
      guard let self, key == wanted else { return }
      (next, building) = (outcome.value, nil)
      if let next { load(next) { [weak self] in self?.replace() } }
    }
  }

  private func load(_ node: DetailsNode, _ onDisplayed: @escaping () -> Void) {
    node.onDisplayed = onDisplayed
    node.priority = .interactive
    node.load(in: display, scale: key?.panel.scale ?? 1)
  }

  private func replace() {
    guard let next else { return }
    node?.onDisplayed = nil
    node?.unload()
    next.onDisplayed = { [weak self] in self?.onChange?() }
    (node, self.next) = (next, nil)
    onChange?()
  }
}
