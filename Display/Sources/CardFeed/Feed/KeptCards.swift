import AsyncDisplay

/// The pictures of the cards that left the screen most recently.
struct KeptCards {
  let limit: Int
  // The most recent card is at the end.
  private var order: [Int] = []
  private var pictures: [Int: Bitmap] = [:]

  init(limit: Int) { self.limit = limit }

  /// Keeps the picture of a card that leaves the screen.
  mutating func keep(_ picture: Bitmap?, of index: Int) {
    guard limit > 0, let picture else { return }
    order.removeAll { $0 == index }
    order.append(index)
    pictures[index] = picture
    if order.count > limit { pictures[order.removeFirst()] = nil }
  }

  /// Returns the picture of the card at `index`, if it was kept.
  func picture(of index: Int) -> Bitmap? { pictures[index] }
}
