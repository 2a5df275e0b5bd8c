import AsyncDisplay
import LoopTransactions
import LoopTransactionsTesting
import Testing

/// A feed item that builds a `Block`. The item with index n is at y = 100 n.
final class FeedCard: RangeItem {
  var frame: Rect
  private(set) var node: Node?
  private(set) var place = RangePlace.outside
  private(set) var moves = 0
  private(set) var builds = 0
  var work: (@Sendable (() -> Bool) throws -> Void)?
  var buildsLater: Display?
  var onBuilt: (() -> Void)?

  private let number: Int
  private let trace: Trace

  init(_ number: Int, _ trace: Trace) {
    self.number = number
    self.trace = trace
    frame = Rect(x: 0, y: Double(number) * 100, width: 100, height: 100)
  }

  func didMove(from old: RangePlace, to new: RangePlace) {
    #expect(old == place && new != place)
    place = new
    moves += 1
    if new == .outside { node = nil } else if old == .outside { build() }
  }

  private func build() {
    builds += 1
    let size = frame.size
    guard let buildsLater else {
      let block = Block("\(number)", Rect(origin: .zero, size: size), .red, trace)
      block.work = work
      return node = block
    }
    buildsLater.build { _ -> sending Block in
      Block("", Rect(origin: .zero, size: size), .red)
    } completion: { [weak self] outcome in
      self?.node = outcome.value
      self?.onBuilt?()
    }
  }
}

/// An item with a picture of 100 x 100 points.
final class PictureItem: RangeItem {
  let frame = Rect(x: 0, y: 0, width: 100, height: 100)
  let node: Node?

  init() {
    let picture = ImageNode()
    picture.frame = frame
    picture.image = .data(Pictures.file("png", 50, 50))
    node = picture
  }

  func didMove(from old: RangePlace, to new: RangePlace) {}
}
