import LoopTransactions

// MARK: Items that are identified by a number and never run
extension PostedItem {
  /// An item that a full inbox refuses.
  static func numbered(_ number: Int) -> PostedItem {
    PostedItem({ _ in }, UnsafeMutableRawPointer(bitPattern: number))
  }

  /// A job without a task, which no limit refuses.
  static var job: PostedItem {
    var item = numbered(0)
    item.kind = firstJob
    return item
  }

  /// The number the item was created with.
  var number: Int { Int(bitPattern: second) }
}

extension ItemBuffer {
  /// Removes every item and returns their numbers.
  mutating func removeAll() -> [Int] {
    var numbers: [Int] = []
    while remaining > 0 { numbers.append(removeFirst().number) }
    return numbers
  }

  /// Appends and removes `count` items, and resets the buffer.
  mutating func takeBatch(of count: Int) {
    for number in 0..<count { append(.numbered(number)) }
    _ = removeAll()
    reset()
  }
}
