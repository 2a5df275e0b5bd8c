import LoopTransactions

// Items that tests tell apart by a number and never run.
extension PostedItem {
  /// An item that a full inbox refuses.
  static func numbered(_ number: Int) -> PostedItem {
    PostedItem({ _ in }, UnsafeMutableRawPointer(bitPattern: number))
  }

  /// A job, which no limit refuses. Of no task.
  static var job: PostedItem {
    var item = numbered(0)
    item.kind = firstJob
    return item
  }

  /// The number it was made with.
  var number: Int { Int(bitPattern: second) }
}

extension ItemBuffer {
  /// Takes every item; their numbers.
  mutating func removeAll() -> [Int] {
    var numbers: [Int] = []
    while remaining > 0 { numbers.append(removeFirst().number) }
    return numbers
  }
}
