import LoopTransactions

/// The display state of a layer. Belongs to the loop.
///
/// Outlives its layer while a display is under way, so that every `willDisplay`
/// is followed by a `didDisplay`. D2.
final class DisplayCore {
  let display: Display
  weak var layer: Layer?
  private(set) var state = DisplayState()
  /// The generation up to which all displays are cancelled. Read by workers.
  let cancelWatermark = Sentinel()
  /// The newest generation, for readers on any thread.
  let sentinel = Sentinel()
  /// The layer's position in the queue of the display commit, or nil if the
  /// layer is not queued.
  var place: LayerBacklog.Place?
  /// Whether the layer was scheduled during a display commit and waits for the
  /// next one.
  var isLate = false
  /// When the layer was scheduled, if displays are timed.
  var requested: LoopClock.Instant?
  /// Whether the layer's size was drawable when it last changed.
  var hasSize = false
  private var runs: [UInt64: DisplayRun] = [:]
  // Actions of past transitions that have not been performed yet.
  private var actions: [DisplayState.Action] = []

  init(_ display: Display) { self.display = display }

  /// Makes a transition and performs its actions.
  ///
  /// An action may call a `didDisplay` closure that makes another transition.
  /// The actions of that transition are performed after the remaining actions
  /// of the first transition, so that all actions stay in order.
  func change(_ transition: (inout DisplayState) -> [DisplayState.Action]) {
    actions += transition(&state)
    sentinel.raise(to: state.generation)
    // A layer that cannot begin leaves the queue, so that later commits do not
    // examine it. The queue's references are unowned.
    if place != nil, !state.canBegin { display.unschedule(self) }
    while !actions.isEmpty { perform(actions.removeFirst()) }
  }

  /// The current display, unless it has been cancelled.
  var running: DisplayRun? { state.isRunning ? runs[state.newestRun] : nil }

  /// Changes the priority of operations that have not begun.
  func setPriority(_ priority: OperationPriority) {
    for run in runs.values { run.operation?.setPriority(priority) }
  }

  private func perform(_ action: DisplayState.Action) {
    switch action {
    case .schedule: display.schedule(self)
    case .stop(let generation):
      if let times = runs[generation]?.times { display.meter?.drop(times) }
      runs[generation]?.watch?.cancel()
      cancelWatermark.raise(to: generation)
      runs[generation]?.operation?.cancel()
    case .show(let generation):
      if let bitmap = runs[generation]?.bitmap { layer?.show(bitmap) }
    case .clear: layer?.show(nil)
    case .notify(let generation, let end): notify(generation, end)
    }
  }

  private func notify(_ generation: UInt64, _ end: DisplayState.End) {
    guard let run = runs.removeValue(forKey: generation) else { return }
    let outcome = end == .cancelled ? .cancelled : run.outcome
    guard run.isAnnounced else { return }
    display.count(outcome)
    if let times = run.times { display.meter?.end(times, outcome) }
    run.didDisplay?(layer, outcome)
    run.didDisplay = nil
    layer?.displayDidEnd()
  }
}

// A display from its beginning to its end.
extension DisplayCore {
  /// Begins a display of `layer`. An asynchronous display becomes part of
  /// `transaction`. If `transaction` is nil, the display becomes part of the
  /// container's transaction, or of a new transaction.
  func begin(_ layer: Layer, asynchronously: Bool, in transaction: AsyncTransaction? = nil) {
    layer.owner?.beforeDisplay()
    guard state.holds.isEmpty else { return }
    change { $0.begin() }
    let run = DisplayRun(generation: state.generation)
    runs[run.generation] = run
    let task = layer.delegate?.displayTask(for: layer)
    // The delegate may have begun another display. In that case this display
    // never began.
    guard state.isLive(run.generation) else { return end(run, .cancelled) }
    run.didDisplay = task?.didDisplay
    run.isAnnounced = true
    display.counts.begun += 1
    run.times = display.meter?.begin(layer.shownName, requestedAt: requested)
    requested = nil
    let drawing = Result { try layer.drawing(of: task) }
    task?.willDisplay?(layer)
    guard state.isLive(run.generation) else { return end(run, .cancelled) }
    switch drawing {
    case .failure(let error):
      // The shown contents no longer have the layer's size.
      run.outcome = .failed(error)
      end(run, .cleared)
    case .success(nil):
      run.outcome = .cleared
      end(run, .cleared)
    case .success(let drawing?):
      asynchronously ? start(run, drawing, layer, in: transaction) : draw(run, drawing)
    }
  }

  private func draw(_ run: DisplayRun, _ drawing: Drawing) {
    let (cancelWatermark, generation) = (cancelWatermark, run.generation)
    let draw = { [pool = display.pool] in
      Result { try drawing.draw(from: pool) { cancelWatermark.value >= generation } }
    }
    let result = run.times?.drawing(onLoop: true, draw) ?? draw()
    run.drawn.withLock { $0 = result }
    end(run, run.finish())
  }

  private func start(
    _ run: DisplayRun,
    _ drawing: Drawing,
    _ layer: Layer,
    in existing: AsyncTransaction?
  ) {
    layer.showMeanwhile()
    let byteCount = drawing.pixels.byteCount + (layer.owner?.pictureScratchBytes ?? 0)
    display.reserve(byteCount)
    let transaction = existing ?? layer.container?.transaction ?? display.makeTransaction()
    let (cancelWatermark, generation, drawn, pool) = (
      cancelWatermark, run.generation, run.drawn, display.pool
    )
    let watch = CancelWatch(display.onStopped)
    (run.transaction, run.watch) = (transaction, watch)
    let times = run.times
    let name = LoopTrace.isRunning ? layer.shownName : "display"
    run.operation = transaction.add(name, priority: layer.priority) { operation in
      watch?.begin()
      defer { watch?.end() }
      let isCancelled = { operation.isCancelled || cancelWatermark.value >= generation }
      let draw = { Result { try drawing.draw(from: pool, isCancelled: isCancelled) } }
      let result = times?.drawing(onLoop: false, draw) ?? draw()
      drawn.withLock { $0 = result }
    } completion: { outcome in
      self.display.release(byteCount)
      self.display.delivering(run.transaction) {
        guard case .value = outcome else { return self.end(run, .cancelled) }
        self.end(run, run.finish())
      }
    }
    if existing == nil, layer.container == nil { transaction.commit() }
  }

  /// Waits until `run` has ended and its `didDisplay` has been called. Boosts
  /// the run's transaction and helps to perform it.
  func wait(for run: DisplayRun) {
    guard let transaction = run.transaction else { return }
    // The caller is a completion of the same transaction, so all operations of
    // that transaction have ended.
    if display.isDelivering(transaction) { return end(run, run.finish()) }
    transaction.waitUntilComplete()
  }

  private func end(_ run: DisplayRun, _ end: DisplayState.End) {
    change { $0.end(run.generation, end) }
  }
}
