import LoopTransactions

// Notes that workers read or make. They arrive in a queue, so that the loop adds as many in
// a tick as its budget allows.
extension Notes {
  /// Reads all files. `phase` is `ready` or `failed` afterwards.
  ///
  /// - Parameter whenLoaded: Called if all files were read.
  package func load(whenLoaded: @escaping () -> Void = {}) {
    let shards: [Int]
    do { shards = try store.shards() } catch {
      phase = .failed("\(error)")
      return
    }
    let arrived = RunLoopValueQueue<(shard: Int, notes: [Note])>(on: loop, batchSize: .unlimited) {
      [unowned self] file, _ in load(file.notes, shard: file.shard)
    }
    let transaction = AsyncTransaction(on: loop, name: "load", scheduler: scheduler)
    var failure: String?
    // The newest notes are at the top of the list.
    for shard in shards.reversed() {
      transaction.add("read") { [store] _ in
        _ = arrived.enqueue((shard, try store.read(shard: shard)))
      } completion: { outcome in
        if case .failed(let error) = outcome { failure = failure ?? "\(error)" }
      }
    }
    transaction.whenComplete { [self] _ in
      arrived.flush()
      phase = failure.map(Phase.failed) ?? .ready
      guard failure == nil else { return }
      if !query.isEmpty { startSearch() }
      whenLoaded()
    }
    transaction.commit()
  }

  /// Adds notes that workers make.
  ///
  /// - Parameter rate: Notes per second. Nil is as fast as the workers are.
  package func feed(_ count: Int, perSecond rate: Int?, at time: Int) {
    let size = Self.feedSize
    isFeeding = true
    var parts = InOrder<[Draft]>()
    let arrived = DraftQueue(on: loop, batchSize: .unlimited) { [unowned self] part, _ in
      guard isFeeding else { return }
      for drafts in parts.arrived(part.drafts, number: part.number) { append(drafts) }
    }
    let starts = stride(from: 0, to: count, by: size)
    guard let rate else { return add(Array(starts), of: count, at: time, to: arrived) }
    var rest = Array(starts)[...]
    let interval = Duration.seconds(1) * size / rate
    feedTimer = loop.addTimer(after: .zero, every: interval) { [unowned self] firing in
      let due = rest.prefix(1 + firing.missed)
      rest = rest.dropFirst(due.count)
      add(Array(due), of: count, at: time, to: arrived)
      if rest.isEmpty { feedTimer?.cancel() }
    }
  }

  /// Stops `feed`. Notes that have not been added yet are dropped.
  package func stopFeed() {
    isFeeding = false
    feedTimer?.cancel()
    for transaction in transactions { transaction.cancel() }
  }

  private typealias DraftQueue = RunLoopValueQueue<(number: Int, drafts: [Draft])>
  private static let feedSize = 100

  private func add(
    _ starts: [Int],
    of count: Int,
    at time: Int,
    to arrived: DraftQueue
  ) {
    let transaction = AsyncTransaction(on: loop, name: "feed", scheduler: scheduler)
    for start in starts {
      transaction.add("make notes", priority: .low) { _ in
        let numbers = start..<min(start + Self.feedSize, count)
        let drafts = numbers.map { SampleNotes.draft($0, of: count, before: time) }
        _ = arrived.enqueue((start / Self.feedSize, drafts))
      }
    }
    transactions.removeAll { $0.state == .complete }
    transactions.append(transaction)
    transaction.commit()
  }
}
