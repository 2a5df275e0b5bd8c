import LoopTransactions

/// An image that a node draws, decoded on a worker.
///
/// Belongs to the loop after its node is loaded. The node requests the image,
/// and is notified when loading succeeds or fails.
final class ImageLoad: PendingDecode {
  private enum State {
    case wanted
    // A worker is reading the image's size.
    case measuring(AsyncTransaction, AsyncTransaction.Operation)
    // The load waits for this number of bytes of memory.
    case waiting(Int)
    case decoding(AsyncTransaction, AsyncTransaction.Operation, CancelWatch?)
    case ready(Bitmap)
    case failed
  }

  private unowned let node: Node
  // After the node is loaded, this is loop only: public functions of nodes and
  // displays check the thread.
  private var state = State.wanted
  // loop only: the number of the current attempt.
  private var attempts = 0
  /// The error of the last attempt, or nil if it succeeded.
  private(set) var failure: (any Error)?
  private weak var display: Display?

  /// Creates a load of `source` with `modification` for `node`. The node
  /// retains the load.
  init(_ source: ImageSource, _ modification: ImageModification? = nil, for node: Node) {
    self.node = node
    super.init(ImageKey(source: source, modification: modification))
  }

  // A node that was released while loaded did not cancel its loads.
  deinit { cancel() }

  /// The decoded image, or nil if it is not ready.
  var bitmap: Bitmap? {
    if case .ready(let bitmap) = state { return bitmap }
    return nil
  }

  /// Whether decoding has succeeded or failed.
  var hasEnded: Bool {
    switch state {
    case .wanted, .measuring, .waiting, .decoding: false
    case .ready, .failed: true
    }
  }

  private func end(_ result: Result<Bitmap, any Error>) {
    let hadFailed = failure != nil
    switch result {
    case .success(let bitmap): (state, failure) = (.ready(bitmap), nil)
    case .failure(let error): (state, failure) = (.failed, error)
    }
    // The contents were drawn without the image and are therefore out of date,
    // although nothing else has changed.
    if hadFailed, bitmap != nil, node.rasterizer.layer?.needsDisplay == false {
      node.setNeedsDisplay()
    }
  }

  /// Begins to load the image. If the node is synchronous, decodes the image
  /// immediately. Does nothing unless the image is wanted.
  func begin() {
    guard let display = node.display, case .wanted = state else { return }
    guard node.displaysAsynchronously else {
      return end(Result { try key.make(from: display.pool) { false } })
    }
    attempts += 1
    priority = node.priority
    guard let byteCount = key.byteCount else { return measure(in: display) }
    wait(for: byteCount, in: display)
  }

  // The image is measured on a worker, because the loop must not read files.
  private func measure(in display: Display) {
    let (key, attempt) = (key, attempts)
    let transaction = display.makeTransaction()
    let operation = transaction.add("picture size", priority: priority) { operation in
      key.readByteCount { operation.isCancelled }
    } completion: { [weak self] outcome in
      self?.didMeasure(attempt, outcome)
    }
    state = .measuring(transaction, operation)
    transaction.commit()
  }

  private func didMeasure(_ attempt: Int, _ outcome: AsyncTransaction.Outcome<Int>) {
    guard attempt == attempts, case .measuring = state else { return }
    guard case .value(let byteCount) = outcome, let display = node.display else {
      // The closing loop cancelled the operation.
      state = .wanted
      return
    }
    wait(for: byteCount, in: display)
  }

  private func wait(for byteCount: Int, in display: Display) {
    state = .waiting(byteCount)
    self.display = display
    display.decodeSoon(self)
  }

  override var missingBytes: Int? {
    if case .waiting(let byteCount) = state { return byteCount }
    return nil
  }

  /// Begins to decode the image. The image's bytes count as in flight until it
  /// is delivered.
  override func decode(in display: Display) {
    guard case .waiting(let byteCount) = state else { return }
    stopWaiting()
    let (key, pool, attempt) = (key, display.pool, attempts)
    let watch = display.reserve(byteCount, for: key)
    let transaction = display.makeTransaction()
    let operation = transaction.add(
      display.images,
      for: key,
      name: "image",
      priority: priority
    ) { operation in
      watch?.begin()
      // Reports the end only if the operation was cancelled, because another
      // node may still wait for the image.
      defer { if operation.isCancelled { watch?.end() } }
      do {
        return try key.make(from: pool) { operation.isCancelled }
      } catch is CancellationError where !operation.isCancelled {
        // The modification threw this error without being cancelled. Another
        // error is thrown instead, so that it counts as a failure.
        throw SpuriousCancellation()
      }
    } completion: { [weak self] outcome in
      self?.didDecode(attempt, outcome)
      display.release(key)
    }
    state = .decoding(transaction, operation, watch)
    transaction.commit()
  }

  /// Cancels loading.
  func cancel() {
    switch state {
    case .measuring(_, let operation):
      state = .wanted
      operation.cancel()
    case .waiting:
      state = .wanted
      stopWaiting()
    case .decoding(_, let operation, let watch):
      state = .wanted
      watch?.cancel()
      operation.cancel()
    case .wanted, .ready, .failed: break
    }
  }

  private func stopWaiting() {
    guard let place else { return }
    self.place = nil
    // The display is a weak reference, because the node may already have been
    // deallocated.
    display?.stopWaiting(place, for: key)
  }

  /// Changes the priority.
  func setPriority(_ priority: OperationPriority) {
    self.priority = priority
    switch state {
    case .measuring(_, let operation), .decoding(_, let operation, _):
      operation.setPriority(priority)
    case .waiting: display?.priorityDidChange(of: self)
    case .wanted, .ready, .failed: break
    }
  }

  /// Blocks until loading has succeeded or failed. Ignores the limit of memory
  /// in flight.
  func wait() {
    Self.beginNow([self])
    if case .decoding(let transaction, _, _) = state { transaction.waitUntilComplete() }
  }

  /// Begins to decode all images that displays of `nodes` wait for, regardless
  /// of the memory in flight. Measures all the images first.
  static func beginNow(_ nodes: [Node]) {
    // Retains the nodes, because a callback may remove a node from its tree.
    withExtendedLifetime(nodes) { beginNow(nodes.flatMap(\.loads)) }
  }

  private static func beginNow(_ loads: [ImageLoad]) {
    for load in loads { load.begin() }
    // Waits only until the images are measured. The completion begins to
    // decode.
    for load in loads {
      if case .measuring(let transaction, _) = load.state { transaction.waitUntilComplete() }
    }
    for load in loads { if case .waiting = load.state { load.node.display?.decode(load) } }
  }

  /// Releases the decoded image and marks it as wanted again.
  func drop() {
    if case .ready = state { state = .wanted }
  }

  /// Marks a failed image as wanted again if another attempt may succeed.
  /// Called after a display without the image. Damaged data stays damaged, but
  /// a file may change and memory may become available.
  func allowRetry() {
    guard case .failed = state else { return }
    if case .data = key.source, failure is ImageError { return }
    state = .wanted
  }

  /// Whether the image is missing from the contents, but another attempt may
  /// succeed.
  var isRetryable: Bool {
    guard failure != nil, case .wanted = state else { return false }
    return true
  }

  private func didDecode(_ attempt: Int, _ outcome: AsyncTransaction.Outcome<Bitmap>) {
    // Ignores the completion of a cancelled attempt.
    guard attempt == attempts, case .decoding = state else { return }
    switch outcome {
    case .value(let bitmap): end(.success(bitmap))
    case .failed(let error):
      end(.failure(error is SpuriousCancellation ? CancellationError() : error))
    // The closing loop cancelled the decoding.
    case .cancelled: state = .wanted
    }
    node.preparationDidChange()
  }
}

/// Replaces a `CancellationError` that a modification threw without being
/// cancelled. The original error would look like a cancelled operation.
private struct SpuriousCancellation: Error {}
