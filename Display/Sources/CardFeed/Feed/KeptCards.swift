import AsyncDisplay

/// The pictures of the cards that were seen last.
struct KeptCards {
  let limit: Int
  // The one that was seen last is at the end.
  private var order: [Int] = []
  private var pictures: [Int: Bitmap] = [:]

  init(limit: Int) { self.limit = limit }

  /// Keeps the picture of a card that goes out of sight.
  mutating func keep(_ picture: Bitmap?, of index: Int) {
    guard limit > 0, let picture else { return }
    order.removeAll { $0 == index }
    order.append(index)
    pictures[index] = picture
    if order.count > limit { pictures[order.removeFirst()] = nil }
  }

  /// Its picture, if it was kept.
  func picture(of index: Int) -> Bitmap? { pictures[index] }
}
