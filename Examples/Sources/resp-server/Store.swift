import LoopTransactions

/// Bytes, as a key or a value.
struct Bytes: Hashable, Sendable {
  let array: [UInt8]

  init(_ array: [UInt8]) { self.array = array }

  init(_ bytes: UnsafeRawBufferPointer) { array = Array(bytes) }

  /// At once: an array's own feeds the hasher byte by byte.
  func hash(into hasher: inout Hasher) {
    array.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}

/// What is stored, for all loops: parts by key, each under a lock of its own.
final class Store: Sendable {
  private struct Part {
    var values: [Bytes: [UInt8]] = [:]
    /// When a key ends to be, for those that do.
    var ends: [Bytes: LoopClock.Instant] = [:]

    /// Lets go of `key` if its time is over.
    mutating func expire(_ key: Bytes) {
      guard !ends.isEmpty, let end = ends[key], end <= LoopClock.now else { return }
      remove(key)
    }

    mutating func remove(_ key: Bytes) {
      values[key] = nil
      ends[key] = nil
    }
  }

  private let parts: [Locked<Part>] = (0..<64).map { _ in Locked(Part()) }

  private func withPart<Result>(of key: Bytes, _ body: (inout Part) -> Result) -> Result {
    parts[Int(truncatingIfNeeded: UInt(bitPattern: key.hashValue) % 64)].withLock { part in
      part.expire(key)
      return body(&part)
    }
  }

  func get(_ key: Bytes) -> [UInt8]? { withPart(of: key) { $0.values[key] } }

  func set(_ key: Bytes, _ value: [UInt8]) {
    withPart(of: key) { part in
      part.values[key] = value
      if !part.ends.isEmpty { part.ends[key] = nil }
    }
  }

  /// Whether there was one.
  func delete(_ key: Bytes) -> Bool {
    withPart(of: key) { part in
      defer { part.remove(key) }
      return part.values[key] != nil
    }
  }

  /// Adds one to what the key holds, 0 if nothing; nil if that is no number, or the
  /// largest.
  func increment(_ key: Bytes) -> Int? {
    withPart(of: key) { part in
      let old = part.values[key]
      let text = old.map { String(decoding: $0, as: UTF8.self) } ?? "0"
      // As it is written, and no other way: not "+5", nor "007".
      guard let number = Int(text), String(number) == text, number < .max else { return nil }
      part.values[key] = Array(String(number + 1).utf8)
      return number + 1
    }
  }

  /// Whether there is such a key, which is gone after so many seconds.
  func expire(_ key: Bytes, after seconds: Int) -> Bool {
    withPart(of: key) { part in
      guard part.values[key] != nil else { return false }
      if seconds <= 0 {
        part.remove(key)
      } else {
        part.ends[key] = LoopClock.now.advanced(by: .seconds(seconds))
      }
      return true
    }
  }

  /// Lets go of what nobody asked for since its time was over, in the part `number`,
  /// counted on and on: a loop that has a million keys with an end is not held up by
  /// all at once.
  func sweep(_ number: Int) {
    let now = LoopClock.now
    parts[number % parts.count].withLock { part in
      for (key, end) in part.ends where end <= now { part.remove(key) }
    }
  }
}
