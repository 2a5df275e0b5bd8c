import LoopTransactions
import Synchronization

/// Bytes as a hashable key.
struct Bytes: Hashable, Sendable {
  let array: [UInt8]

  init(_ array: [UInt8]) { self.array = array }

  init(_ bytes: UnsafeRawBufferPointer) { array = Array(bytes) }

  /// Hashes the bytes in one call. `Array`'s own implementation hashes each byte
  /// separately.
  func hash(into hasher: inout Hasher) {
    array.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}

/// The keys and values, shared by all loops. Each shard has its own lock.
final class Store: Sendable {
  private struct Shard {
    var values: [Bytes: [UInt8]] = [:]
    /// The keys that expire, with their times.
    var expiries: [Bytes: LoopClock.Instant] = [:]

    /// Whether the key has expired and must be removed.
    func hasExpired(_ key: Bytes) -> Bool {
      guard !expiries.isEmpty, let expiry = expiries[key] else { return false }
      return expiry <= LoopClock.now
    }
  }

  /// The result of `increment`.
  enum Increment {
    case number(Int)
    /// The value is not an integer or cannot be incremented.
    case notAnInteger
    case outOfMemory
  }

  private let shards: [Locked<Shard>] = (0..<64).map { _ in Locked(Shard()) }
  private let limit: Int
  private let used = Atomic<Int>(0)
  private let sweeper: LoopPort
  private let sweeps = Locked(Sweeps())

  /// - Parameters:
  ///   - limit: The bytes that keys and values may use.
  ///   - sweeper: The loop that removes expired keys.
  init(limit: Int, sweptOn sweeper: LoopPort) { (self.limit, self.sweeper) = (limit, sweeper) }

  /// The bytes that keys and values use.
  // Relaxed: a counter that orders no other memory access.
  var memory: Int { used.load(ordering: .relaxed) }

  private func withShard<Result>(of key: Bytes, _ body: (inout Shard) -> Result) -> Result {
    shards[Int(truncatingIfNeeded: UInt(bitPattern: key.hashValue) % 64)].withLock { shard in
      if shard.hasExpired(key) { remove(key, from: &shard) }
      return body(&shard)
    }
  }

  func get(_ key: Bytes) -> [UInt8]? { withShard(of: key) { $0.values[key] } }

  /// Sets the key's value, and removes its expiry. Returns false if the store is full.
  func set(_ key: Bytes, _ value: [UInt8]) -> Bool {
    withShard(of: key) { shard in
      guard store(value, for: key, in: &shard) else { return false }
      if !shard.expiries.isEmpty { shard.expiries[key] = nil }
      return true
    }
  }

  /// Deletes the key. Returns whether it existed.
  func delete(_ key: Bytes) -> Bool {
    withShard(of: key) { shard in
      remove(key, from: &shard)
    }
  }

  /// Adds one to the key's value, which is 0 if the key does not exist.
  func increment(_ key: Bytes) -> Increment {
    withShard(of: key) { shard in
      let old = shard.values[key]
      let text = old.map { String(decoding: $0, as: UTF8.self) } ?? "0"
      // Only the canonical form counts as an integer. "+5" and "007" do not.
      guard let number = Int(text), String(number) == text, number < .max else {
        return .notAnInteger
      }
      let isStored = store(Array(String(number + 1).utf8), for: key, in: &shard)
      return isStored ? .number(number + 1) : .outOfMemory
    }
  }

  /// Makes the key expire after `seconds`. Returns false if it does not exist.
  func expire(_ key: Bytes, after seconds: Int) -> Bool {
    let exists = withShard(of: key) { shard in
      guard shard.values[key] != nil else { return false }
      if seconds <= 0 {
        remove(key, from: &shard)
      } else {
        shard.expiries[key] = LoopClock.now.advanced(by: .seconds(seconds))
      }
      return true
    }
    if exists, seconds > 0 { scheduleSweep() }
    return exists
  }
}

// Memory.
extension Store {
  /// Stores the value unless the store would use more than its limit. A smaller value than
  /// the old one is always stored.
  private func store(_ value: [UInt8], for key: Bytes, in shard: inout Shard) -> Bool {
    let old = shard.values[key].map { Self.size(key, $0) } ?? 0
    let difference = Self.size(key, value) - old
    // Relaxed: the counter orders no other memory access. Adds first, so that threads that
    // store at the same time cannot exceed the limit together.
    let new = used.add(difference, ordering: .relaxed).newValue
    if difference > 0, new > limit {
      used.subtract(difference, ordering: .relaxed)
      return false
    }
    shard.values[key] = value
    return true
  }

  /// Removes the key. Returns whether it existed.
  @discardableResult
  private func remove(_ key: Bytes, from shard: inout Shard) -> Bool {
    shard.expiries[key] = nil
    guard let old = shard.values.removeValue(forKey: key) else { return false }
    // Relaxed: see `store`.
    used.subtract(Self.size(key, old), ordering: .relaxed)
    return true
  }

  /// The bytes of a key and its value, the key's second copy if it expires, and the slots and
  /// array headers.
  private static func size(_ key: Bytes, _ value: [UInt8]) -> Int {
    2 * key.array.count + value.count + 256
  }
}

// Removal of expired keys.
extension Store {
  private struct Sweeps {
    var isScheduled = false
    var nextShard = 0
  }

  /// Removes the expired keys of one shard each second, as long as any key expires.
  ///
  /// One shard at a time, so that the loop does not stall when a million keys have an
  /// expiry. Without expiries, an idle server does not wake up.
  private func scheduleSweep() {
    let isScheduled = sweeps.withLock { sweeps in
      defer { sweeps.isScheduled = true }
      return sweeps.isScheduled
    }
    // try?: throws only if the loop has closed, and then the server ends.
    if !isScheduled { _ = try? sweeper.post(after: .seconds(1)) { [self] in sweep() } }
  }

  private func sweep() {
    let now = LoopClock.now
    // Order: a key that gets an expiry after this schedules the next sweep itself.
    let index = sweeps.withLock { sweeps in
      defer { sweeps = Sweeps(nextShard: (sweeps.nextShard + 1) % shards.count) }
      return sweeps.nextShard
    }
    shards[index].withLock { shard in
      for (key, expiry) in shard.expiries where expiry <= now { remove(key, from: &shard) }
    }
    if shards.contains(where: { $0.withLock { !$0.expiries.isEmpty } }) { scheduleSweep() }
  }
}
