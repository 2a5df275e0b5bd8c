import Synchronization

/// One word that names code: 4 bits of kind, 12 bits of line, and the address of
/// a C string that is never freed.
///
/// If the line is 0, the string is the whole name. Otherwise it is a file, and
/// the name is `file:line`.
struct OwnerWord: RawRepresentable, Hashable, BitwiseCopyable, Sendable {
  let rawValue: UInt64

  @inline(__always)
  init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Code without a name.
  @inline(__always)
  init(_ kind: Work.Kind) { rawValue = UInt64(kind.rawValue) << 60 }

  /// Names code by a C string that is never freed.
  @inline(__always)
  init(_ kind: Work.Kind, _ name: WorkName) {
    rawValue = UInt64(kind.rawValue) << 60 | UInt64(UInt(bitPattern: name.text))
  }

  /// Names code by a literal.
  @inline(__always)
  init(_ kind: Work.Kind, _ name: StaticString) {
    rawValue = UInt64(kind.rawValue) << 60 | UInt64(UInt(bitPattern: name.utf8Start))
  }

  /// Names code by its place.
  @inline(__always)
  init(_ kind: Work.Kind, _ place: SourcePlace) {
    rawValue = UInt64(kind.rawValue) << 60 | place.ownerBits
  }

  /// The kind of work.
  var kind: Work.Kind { Work.Kind(rawValue: UInt8(rawValue >> 60)) ?? .other }

  /// The raw value of the kind, without a check: less than 16.
  @inline(__always)
  var kindIndex: Int { Int(truncatingIfNeeded: rawValue >> 60) }

  /// The name, or the place in the source. Empty if the work has neither.
  var name: String {
    guard let text = UnsafePointer<CChar>(bitPattern: UInt(rawValue & Self.addressMask)) else {
      return ""
    }
    let line = rawValue >> 48 & Self.maxLine
    return line == 0 ? String(cString: text) : "\(String(cString: text)):\(line)"
  }

  static let addressMask: UInt64 = 1 << 48 - 1
  static let maxLine: UInt64 = 1 << 12 - 1
}

/// A place in the source, in one word.
///
/// The 16 highest bits are the line, at most 65,535. The rest is the address of
/// the file ID, a literal that ends with 0. Passing a place costs three
/// instructions, and no argument in memory.
@usableFromInline
@frozen
struct SourcePlace: Hashable, BitwiseCopyable, Sendable {
  @usableFromInline let word: UInt

  /// Creates the place `line` of `fileID`.
  @inlinable
  @inline(__always)
  init(_ fileID: StaticString, _ line: UInt) {
    // For literals, the compiler computes all of this but the address.
    word = (line < 65_535 ? line : 65_535) &<< 48 | UInt(bitPattern: fileID.utf8Start)
  }

  @usableFromInline
  init(word: UInt) { self.word = word }

  /// The line and the address, as in an `OwnerWord`.
  @inline(__always)
  fileprivate var ownerBits: UInt64 {
    let bits = UInt64(word)
    return _fastPath(bits >> 60 == 0) ? bits : UInt64(UInt(bitPattern: longName.text))
  }

  // An owner has 12 bits for the line.
  @inline(never)
  private var longName: WorkName { WorkName(description) }

  /// The file ID and the line, separated by a colon.
  var description: String {
    let file = UnsafePointer<CChar>(bitPattern: word & UInt(OwnerWord.addressMask))
    return "\(file.map { String(cString: $0) } ?? ""):\(word >> 48)"
  }
}

/// The `WorkName` of one text, which is looked up once.
struct LazyWorkName: ~Copyable, Sendable {
  // The address of the text, or 0. Release and acquire: a reader of the address
  // sees the text.
  private let address = Atomic<UInt>(0)

  /// Returns the name for `text`, which must be the same in each call.
  ///
  /// Call from any thread.
  func value(_ text: String) -> WorkName {
    if let known = UnsafePointer<CChar>(bitPattern: address.load(ordering: .acquiring)) {
      return WorkName(known: known)
    }
    let name = WorkName(text)
    address.store(UInt(bitPattern: name.text), ordering: .releasing)
    return name
  }
}

/// A name as a C string that is never freed. Equal names have the same address.
struct WorkName: Hashable, @unchecked Sendable {
  // @unchecked: the text never changes.

  /// The text, which ends with 0.
  let text: UnsafePointer<CChar>

  // 4,096 names of a program are fixed or nearly so. More are probably made of
  // data, such as one per request, and would grow without bound.
  private static let limit = 4096

  private static let known = Locked<[String: WorkName]>([:])
  private static let others = WorkName(keeping: "(more than \(limit) names)")

  /// Returns the name for `text`.
  ///
  /// Call from any thread.
  init(_ text: String) {
    self = Self.known.withLock { known in
      if let name = known[text] { return name }
      guard known.count < Self.limit else { return Self.others }
      let name = WorkName(keeping: text)
      known[text] = name
      return name
    }
  }

  fileprivate init(known text: UnsafePointer<CChar>) { self.text = text }

  private init(keeping text: String) {
    let bytes = text.utf8CString
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
    copy.initialize(from: Array(bytes), count: bytes.count)
    self.text = UnsafePointer(copy)
  }
}
