/// A command and its arguments. They refer to the read buffer and are not copied.
struct Request {
  private let bytes: UnsafeRawBufferPointer
  private let words: [Range<Int>]

  init(bytes: UnsafeRawBufferPointer, words: [Range<Int>]) {
    self.bytes = bytes
    self.words = words
  }

  /// The number of arguments, without the command's name.
  var count: Int { words.count - 1 }

  /// The command's name in upper case. A name that is longer than every known command
  /// keeps its case and is cut to 64 bytes.
  var name: String {
    let name = self[-1]
    guard name.count <= 15 else { return String(decoding: name.prefix(64), as: UTF8.self) }
    // A string of up to 15 bytes is stored inline, without an allocation.
    return String(unsafeUninitializedCapacity: name.count) { text in
      for (index, byte) in name.enumerated() {
        text[index] = (97...122).contains(byte) ? byte - 32 : byte
      }
      return name.count
    }
  }

  /// The argument at `index`. Index -1 is the command's name.
  subscript(index: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[words[index + 1]])
  }
}
