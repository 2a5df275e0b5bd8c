/// A request: a command and its arguments, where they were read.
struct Request {
  private let bytes: UnsafeRawBufferPointer
  private let words: [Range<Int>]

  init(bytes: UnsafeRawBufferPointer, words: [Range<Int>]) {
    self.bytes = bytes
    self.words = words
  }

  /// How many words follow the command's name.
  var count: Int { words.count - 1 }

  /// The name, in capitals; a long one is none we know.
  var name: String {
    let name = self[-1]
    guard name.count <= 15 else { return String(decoding: name.prefix(64), as: UTF8.self) }
    // So short a string allocates nothing.
    return String(unsafeUninitializedCapacity: name.count) { text in
      for (index, byte) in name.enumerated() {
        text[index] = (97...122).contains(byte) ? byte - 32 : byte
      }
      return name.count
    }
  }

  /// The word at `index` behind the name.
  subscript(index: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[words[index + 1]])
  }
}
