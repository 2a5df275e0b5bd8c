import LoopTransactions

/// One picture that a node draws, decoded off the loop: wanted, on its way, there, or
/// failed.
///
/// Of the loop once its node is loaded. The node says when it is wanted, and is told when
/// that changes.
final class ImageLoad {
  /// What is decoded.
  let key: ImageKey

  private enum State {
    case wanted
    // A worker looks how large it will be.
    case measured(AsyncTransaction, AsyncTransaction.Operation)
    // For memory: so many bytes.
    case waiting(Int)
    case decoding(AsyncTransaction, AsyncTransaction.Operation, CancelWatch?)
    case ready(Bitmap)
    case failed
  }

  private unowned let node: Node
  // loop only, once the node is loaded; checked by public entries of nodes and displays.
  private var state = State.wanted
  // loop only: which attempt is the newest.
  private var attempts = 0
  /// Which come first, of those that wait for memory.
  private(set) var priority = OperationPriority.normal
  /// Why it could not be shown when it was last tried; nil if it could.
  private(set) var failure: (any Error)?
  /// Where it waits for memory, if it does.
  var place: Backlog<ImageLoad>.Place?
  private weak var display: Display?

  /// The picture of `source`, with `modification`, for `node`, which keeps this.
  init(_ source: ImageSource, _ modification: ImageModification? = nil, for node: Node) {
    key = ImageKey(source: source, modification: modification)
    self.node = node
  }

  // A node that was let go of while it was loaded did not cancel.
  deinit { cancel() }

  /// The picture, once it is there.
  var bitmap: Bitmap? {
    if case .ready(let bitmap) = state { return bitmap }
    return nil
  }

  /// Whether it is there, or can not be.
  var hasEnded: Bool {
    switch state {
    case .wanted, .measured, .waiting, .decoding: false
    case .ready, .failed: true
    }
  }

  private func end(_ result: Result<Bitmap, any Error>) {
    let hadFailed = failure != nil
    switch result {
    case .success(let bitmap): (state, failure) = (.ready(bitmap), nil)
    case .failure(let error): (state, failure) = (.failed, error)
    }
    // What was displayed without it is not the newest, though nothing else changed.
    if hadFailed, bitmap != nil, node.rasterizer.layer?.needsDisplay == false {
      node.setNeedsDisplay()
    }
  }

  /// Begins to get it; in a synchronous node, gets it. Does nothing if it is there or on
  /// its way.
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

  // The loop reads no file.
  private func measure(in display: Display) {
    let (key, attempt) = (key, attempts)
    let transaction = display.makeTransaction()
    let operation = transaction.add("picture size", priority: priority) { operation in
      key.readByteCount { operation.isCancelled }
    } completion: { [weak self] outcome in
      self?.didMeasure(attempt, outcome)
    }
    state = .measured(transaction, operation)
    transaction.commit()
  }

  private func didMeasure(_ attempt: Int, _ outcome: AsyncTransaction.Outcome<Int>) {
    guard attempt == attempts, case .measured = state else { return }
    guard case .value(let byteCount) = outcome, let display = node.display else {
      // By its loop, which closes.
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

  /// What it waits for, in bytes; nil if it does not.
  var missingBytes: Int? {
    if case .waiting(let byteCount) = state { return byteCount }
    return nil
  }

  /// Begins to decode it. Its bytes are in flight until it is taken.
  func decode(in display: Display) {
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
      // Not if another node wants it still.
      defer { if operation.isCancelled { watch?.end() } }
      do {
        return try key.make(from: pool) { operation.isCancelled }
      } catch is CancellationError where !operation.isCancelled {
        // Nobody cancelled it: a failure, by the name that says so here.
        throw UnaskedCancellation()
      }
    } completion: { [weak self] outcome in
      self?.didDecode(attempt, outcome)
      display.release(key)
    }
    state = .decoding(transaction, operation, watch)
    transaction.commit()
  }

  /// Stops getting it.
  func cancel() {
    switch state {
    case .measured(_, let operation):
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
    // The node may be gone by now.
    display?.stopWaiting(place, for: key)
  }

  /// Has it come by `priority`.
  func move(to priority: OperationPriority) {
    self.priority = priority
    switch state {
    case .measured(_, let operation), .decoding(_, let operation, _):
      operation.setPriority(priority)
    case .waiting: display?.priorityDidChange(of: self)
    case .wanted, .ready, .failed: break
    }
  }

  /// Returns when it is there, or can not be. What is waited for is not held back.
  func wait() {
    Self.hasten([self])
    if case .decoding(let transaction, _, _) = state { transaction.waitUntilComplete() }
  }

  /// Has all pictures of `nodes` be decoded at once, for who waits for them: looks how large
  /// each is, then begins each, whatever the memory in flight.
  static func hasten(_ nodes: [Node]) {
    // Nodes stay: who is told meanwhile may take one from its tree.
    withExtendedLifetime(nodes) { hasten(nodes.flatMap(\.loads)) }
  }

  private static func hasten(_ loads: [ImageLoad]) {
    for load in loads { load.begin() }
    // What is told of one while another is waited for begins it.
    for load in loads {
      if case .measured(let transaction, _) = load.state { transaction.waitUntilComplete() }
    }
    for load in loads { if case .waiting = load.state { load.node.display?.decode(load) } }
  }

  /// Lets go of it: it is wanted again.
  func drop() {
    if case .ready = state { state = .wanted }
  }

  /// It was displayed without: it is wanted again if that could end otherwise next time.
  /// What damaged bytes are does not change; a file may, and memory may be had.
  func forgive() {
    guard case .failed = state else { return }
    if case .data = key.source, failure is ImageError { return }
    state = .wanted
  }

  /// Whether it was displayed without, and may be had next time.
  var mayComeYet: Bool {
    guard failure != nil, case .wanted = state else { return false }
    return true
  }

  private func didDecode(_ attempt: Int, _ outcome: AsyncTransaction.Outcome<Bitmap>) {
    // One that was cancelled was forgotten when it was.
    guard attempt == attempts, case .decoding = state else { return }
    switch outcome {
    case .value(let bitmap): end(.success(bitmap))
    case .failed(let error):
      end(.failure(error is UnaskedCancellation ? CancellationError() : error))
    // By its loop, which closes.
    case .cancelled: state = .wanted
    }
    node.preparationDidChange()
  }
}

/// A modification threw a `CancellationError`, and nobody had cancelled it: thrown as it
/// is it would be taken for somebody who had.
private struct UnaskedCancellation: Error {}

/// What a decoded picture depends on.
struct ImageKey: Hashable, Sendable {
  let source: ImageSource
  let modification: ImageModification?

  /// Bytes of the bitmaps that are made for it; nil if its file must be read to know.
  var byteCount: Int? {
    switch source {
    case .bitmap(let picture): return picture.bitmap.pixels.byteCount * made
    case .data(let data): return PictureHeader.memory(for: data.bytes).peak(made)
    case .file: return nil
    }
  }

  /// The same, on a worker.
  func readByteCount(isCancelled: () -> Bool) -> Int {
    guard case .file(let path) = source else { return byteCount ?? 0 }
    return PictureHeader.memory(forFile: path, isCancelled: isCancelled).peak(made)
  }

  // Bitmaps of its size that are made of it.
  private var made: Int { modification?.bitmapCount ?? 0 }

  /// Makes the picture, on this thread.
  func make(from pool: BitmapPool, isCancelled: () -> Bool) throws -> Bitmap {
    let bitmap = try source.decode(from: pool, isCancelled: isCancelled)
    guard let modification else { return bitmap }
    if isCancelled() { throw CancellationError() }
    return try modification.body(bitmap, pool, isCancelled)
  }
}
