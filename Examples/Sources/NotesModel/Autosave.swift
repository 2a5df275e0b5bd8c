package import LoopTransactions
import Observation

/// Saves changed shards: 0.5 s after the last change, and at most 5 s after the first.
///
/// Belongs to the loop's thread. A transaction sets the timer once per tick. An operation writes the files, so the loop does not wait
/// for the disk. One operation runs at a time. If it fails, it is retried.
@Observable
package final class Autosave {
  package enum State: Equatable {
    case saved
    case waiting
    case saving
    case failed(String)
  }

  private static let delayed = Selector<Autosave>("delay save") { $0.delaySave() }
  private static let delay = Duration.milliseconds(500)
  private static let longestDelay = Duration.seconds(5)
  private static let longestRetryDelay = Duration.seconds(30)

  package private(set) var state = State.saved

  /// The number of operations that have saved, and of the files that they wrote.
  @ObservationIgnored package private(set) var saves = 0
  @ObservationIgnored package private(set) var files = 0

  @ObservationIgnored private let loop: EventLoop
  @ObservationIgnored private let scheduler: OperationScheduler
  @ObservationIgnored private let store: NoteStore
  @ObservationIgnored private let notebook: () -> Notebook
  @ObservationIgnored private var dirty: Set<Int> = []
  @ObservationIgnored private var firstChange: LoopClock.Instant?
  @ObservationIgnored private var timer: LoopTimer?
  @ObservationIgnored private var retryDelay = Duration.seconds(1)
  @ObservationIgnored private var waiters: [(Bool) -> Void] = []
  @ObservationIgnored private var isSaving = false

  /// - Parameter notebook: Returns the newest notes. Called when a save begins.
  package init(
    _ store: NoteStore,
    on loop: EventLoop,
    scheduler: OperationScheduler,
    notebook: @escaping () -> Notebook
  ) {
    self.store = store
    self.loop = loop
    self.scheduler = scheduler
    self.notebook = notebook
  }

  /// Whether there are changes that no file has.
  package var hasChanges: Bool { isSaving || !dirty.isEmpty }

  /// Saves a shard soon.
  package func changed(shard: Int) {
    dirty.insert(shard)
    loop.commit(self, Self.delayed)
  }

  private func delaySave() {
    let now = loop.now
    let first = firstChange ?? now
    firstChange = first
    guard !isSaving, !dirty.isEmpty else { return }
    // A failure stays visible, and its retry is not delayed by typing.
    if case .failed = state { return }
    if state != .waiting { state = .waiting }
    let latest = now.duration(to: first.advanced(by: Self.longestDelay))
    schedule(after: max(.zero, min(Self.delay, latest)))
  }

  /// Saves all changes now, and calls `body` with whether all are saved.
  package func flush(_ body: @escaping (Bool) -> Void) {
    guard hasChanges else { return body(true) }
    waiters.append(body)
    save()
  }

  private func schedule(after delay: Duration) {
    timer?.cancel()
    timer = loop.addTimer(after: delay) { [unowned self] _ in save() }
  }

  private func save() {
    timer?.cancel()
    guard !isSaving else { return }
    let (shards, notebook, store) = (dirty, notebook(), store)
    (isSaving, dirty, firstChange) = (true, [], nil)
    state = .saving
    let transaction = AsyncTransaction(on: loop, name: "save", scheduler: scheduler)
    transaction.add("write", priority: .high) { _ in
      for shard in shards.sorted() { try store.write(notebook.shards[shard], shard: shard) }
      try store.sync()
    } completion: { [self] in
      ended($0, shards)
    }
    transaction.commit()
  }

  private func ended(_ outcome: AsyncTransaction.Outcome<Void>, _ shards: Set<Int>) {
    isSaving = false
    do {
      try outcome.get()
      saves += 1
      files += shards.count
      retryDelay = .seconds(1)
      succeeded()
    } catch {
      dirty.formUnion(shards)
      state = .failed("\(error)")
      schedule(after: retryDelay)
      retryDelay = min(retryDelay * 2, Self.longestRetryDelay)
      answer(false)
    }
  }

  private func succeeded() {
    if dirty.isEmpty {
      state = .saved
      answer(true)
    } else if waiters.isEmpty {
      state = .waiting
      schedule(after: Self.delay)
    } else {
      save()
    }
  }

  private func answer(_ isSaved: Bool) {
    let waiting = waiters
    waiters = []
    for waiter in waiting { waiter(isSaved) }
  }
}
