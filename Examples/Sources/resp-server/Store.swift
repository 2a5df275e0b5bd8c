import LoopTransactions

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

    mutating func removeIfExpired(_ key: Bytes) {
      guard !expiries.isEmpty, let expiry = expiries[key], expiry <= LoopClock.now else { return }
      remove(key)
    }

    mutating func remove(_ key: Bytes) {
      values[key] = nil
      expiries[key] = nil
    }
  }

  private let shards: [Locked<Shard>] = (0..<64).map { _ in Locked(Shard()) }
  private let sweeper: LoopPort
  private let sweeps = Locked(Sweeps())

  /// - Parameter sweeper: The loop that removes expired keys.
  init(sweptOn sweeper: LoopPort) { self.sweeper = sweeper }

  private func withShard<Result>(of key: Bytes, _ body: (inout Shard) -> Result) -> Result {
    shards[Int(truncatingIfNeeded: UInt(bitPattern: key.hashValue) % 64)].withLock { shard in
      shard.removeIfExpired(key)
      return body(&shard)
    }
  }

  func get(_ key: Bytes) -> [UInt8]? { withShard(of: key) { $0.values[key] } }

  func set(_ key: Bytes, _ value: [UInt8]) {
    withShard(of: key) { shard in
      shard.values[key] = value
      if !shard.expiries.isEmpty { shard.expiries[key] = nil }
    }
  }

  /// Deletes the key. Returns whether it existed.
  func delete(_ key: Bytes) -> Bool {
    withShard(of: key) { shard in
      defer { shard.remove(key) }
      return shard.values[key] != nil
    }
  }

  /// Adds one to the key's value, which is 0 if the key does not exist. Returns nil if
  /// the value is not an integer or cannot be incremented.
  func increment(_ key: Bytes) -> Int? {
    withShard(of: key) { shard in
      let old = shard.values[key]
      let text = old.map { String(decoding: $0, as: UTF8.self) } ?? "0"
      // Only the canonical form counts as an integer. "+5" and "007" do not.
      guard let number = Int(text), String(number) == text, number < .max else { return nil }
      shard.values[key] = Array(String(number + 1).utf8)
      return number + 1
    }
  }

  /// Makes the key expire after `seconds`. Returns false if it does not exist.
  func expire(_ key: Bytes, after seconds: Int) -> Bool {
    let exists = withShard(of: key) { shard in
      guard shard.values[key] != nil else { return false }
      if seconds <= 0 {
        shard.remove(key)
      } else {
        shard.expiries[key] = LoopClock.now.advanced(by: .seconds(seconds))
      }
      return true
    }
    if exists, seconds > 0 { scheduleSweep() }
    return exists
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
      for (key, expiry) in shard.expiries where expiry <= now { shard.remove(key) }
    }
    if shards.contains(where: { $0.withLock { !$0.expiries.isEmpty } }) { scheduleSweep() }
  }
}
