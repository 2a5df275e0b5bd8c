package import AsyncDisplay
import LoopTransactions

/// Builds and draws the content of the details view off the loop. Use it on the
/// loop only.
package final class DetailsLoader {
  /// Called on the loop when the content was laid out or drawn.
  package var onChange: (() -> Void)?

  // The content that is shown or under way.
  private struct Key: Equatable {
    var index: Int
    var panel: Size
    var scale: Double
  }

  private let corpus: CardCorpus
  private let display: Display
  private var key: Key?
  private var node: DetailsNode?
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

  /// Shows the card at `index` in a panel of size `panel`. Does nothing if it is
  /// already shown.
  package func show(_ index: Int, in panel: Size, scale: Double) {
    let wanted = Key(index: index, panel: panel, scale: scale)
    guard wanted != key else { return }
    clear()
    key = wanted
    let content = corpus[index]
    building = display.build(priority: .interactive) { _ -> sending DetailsNode in
      DetailsNode(content, width: panel.width, height: panel.height)
    } completion: { [weak self] outcome in
      guard let self, key == wanted, let node = outcome.value else { return }
      take(node, scale)
    }
  }

  /// Cancels and releases the content.
  package func clear() {
    building?.cancel()
    node?.onDisplayed = nil
    node?.unload()
    (key, building, node) = (nil, nil, nil)
  }

  private func take(_ node: DetailsNode, _ scale: Double) {
    (self.node, building) = (node, nil)
    node.onDisplayed = { [weak self] in self?.onChange?() }
    node.priority = .interactive
    node.load(in: display, scale: scale)
    onChange?()
  }
}
