import LoopTransactions

/// What a layer's displays need of it, for as long as one is under way. Of the loop.
///
/// Outlives its layer: who was told that a display begins is told how it ended. D2.
final class DisplayCore {
  let display: Display
  weak var layer: Layer?
  private(set) var state = DisplayState()
  /// Generations up to its value were cancelled: what workers ask.
  let line = Sentinel()
  /// The newest generation, for any thread.
  let sentinel = Sentinel()
  /// Where it waits for the display commit, if it does.
  var place: LayerBacklog.Place?
  /// Whether it waits for the one after the commit that is under way.
  var isLate = false
  /// Whether the layer had a size that can be drawn when it was last changed.
  var hasSize = false
  private var runs: [UInt64: DisplayRun] = [:]
  // What follows from transitions and was not done yet.
  private var actions: [DisplayState.Action] = []

  init(_ display: Display) { self.display = display }

  /// Makes a transition, and does what follows.
  ///
  /// A did may make another: what is left of the first is done before what follows from
  /// the second, so that nothing older comes after something newer.
  func change(_ transition: (inout DisplayState) -> [DisplayState.Action]) {
    actions += transition(&state)
    sentinel.raise(to: state.generation)
    // Who can not begin is not looked at; who goes is not kept.
    if place != nil, !state.canBegin { display.unschedule(self) }
    while !actions.isEmpty { perform(actions.removeFirst()) }
  }

  /// The display that is under way and was not cancelled.
  var running: DisplayRun? { state.isRunning ? runs[state.newestRun] : nil }

  /// Has operations that wait run by `priority`.
  func move(to priority: OperationPriority) {
    for run in runs.values { run.operation?.setPriority(priority) }
  }

  private func perform(_ action: DisplayState.Action) {
    switch action {
    case .schedule: display.schedule(self)
    case .stop(let generation):
      runs[generation]?.watch?.cancel()
      line.raise(to: generation)
      runs[generation]?.operation?.cancel()
    case .show(let generation):
      if let bitmap = runs[generation]?.bitmap { layer?.show(bitmap) }
    case .clear: layer?.show(nil)
    case .tell(let generation, let end): tell(generation, end)
    }
  }

  private func tell(_ generation: UInt64, _ end: DisplayState.End) {
    guard let run = runs.removeValue(forKey: generation) else { return }
    let outcome = end == .cancelled ? .cancelled : run.outcome
    guard run.wasTold else { return }
    display.count(outcome)
    run.didDisplay?(outcome)
    run.didDisplay = nil
    layer?.displayDidEnd()
  }
}

// From the beginning of a display to its end.
extension DisplayCore {
  /// Begins a display of `layer`; an asynchronous one as a part of `transaction`, or of
  /// one of its own.
  func begin(_ layer: Layer, asynchronously: Bool, in transaction: AsyncTransaction? = nil) {
    layer.owner?.beforeDisplay()
    guard state.holds.isEmpty else { return }
    change { $0.begin() }
    let run = DisplayRun(generation: state.generation)
    runs[run.generation] = run
    let task = layer.delegate?.displayTask(for: layer)
    // Whoever asks for a task may begin another display: then this one never began.
    guard state.isLive(run.generation) else { return end(run, .cancelled) }
    run.didDisplay = task?.didDisplay
    run.wasTold = true
    display.countBegun()
    let drawing = Result { try layer.drawing(of: task) }
    task?.willDisplay?()
    guard state.isLive(run.generation) else { return end(run, .cancelled) }
    switch drawing {
    case .failure(let error):
      // What was shown is of another size.
      run.outcome = .failed(error)
      end(run, .cleared)
    case .success(nil):
      run.outcome = .cleared
      end(run, .cleared)
    case .success(let drawing?):
      asynchronously ? start(run, drawing, layer, transaction) : draw(run, drawing)
    }
  }

  private func draw(_ run: DisplayRun, _ drawing: Drawing) {
    let (line, generation) = (line, run.generation)
    let result = Result { [pool = display.pool] in
      try drawing.draw(from: pool) { line.value >= generation }
    }
    run.drawn.withLock { $0 = result }
    end(run, run.finish())
  }

  private func start(
    _ run: DisplayRun,
    _ drawing: Drawing,
    _ layer: Layer,
    _ given: AsyncTransaction?
  ) {
    layer.showMeanwhile()
    let byteCount = drawing.pixels.byteCount + (layer.owner?.pictureScratchBytes ?? 0)
    display.reserve(byteCount)
    let transaction = given ?? layer.container?.transaction ?? display.makeTransaction()
    let (line, generation, drawn, pool) = (line, run.generation, run.drawn, display.pool)
    let watch = CancelWatch(display.onStopped)
    (run.transaction, run.watch) = (transaction, watch)
    run.operation = transaction.add("display", priority: layer.priority) { operation in
      watch?.begin()
      defer { watch?.end() }
      let isCancelled = { operation.isCancelled || line.value >= generation }
      let result = Result { try drawing.draw(from: pool, isCancelled: isCancelled) }
      drawn.withLock { $0 = result }
    } completion: { outcome in
      self.display.release(byteCount)
      self.complete(run, outcome)
    }
    if given == nil, layer.container == nil { transaction.commit() }
  }

  private func complete(_ run: DisplayRun, _ outcome: AsyncTransaction.Outcome<Void>) {
    display.delivering(run.transaction) {
      guard case .value = outcome else { return end(run, .cancelled) }
      end(run, run.finish())
    }
  }

  /// Waits until `run` has ended, and tells. Its transaction is lifted, and helped.
  func wait(for run: DisplayRun) {
    guard let transaction = run.transaction else { return }
    // From a completion of the same transaction: its operations have all ended.
    if display.isDelivering(transaction) { return end(run, run.finish()) }
    transaction.waitUntilComplete()
  }

  private func end(_ run: DisplayRun, _ end: DisplayState.End) {
    change { $0.end(run.generation, end) }
  }
}
