import LoopTransactions

/// The pictures of the folder, the visible range, and the progress. Call on the loop.
final class Album {
  let loop: EventLoop
  let scheduler: OperationScheduler
  let pictures: [Picture]
  let options: Options
  private(set) var summary = Summary()

  // Shares operations by file, so that a file with several names is decoded once.
  private let singleFlight: SingleFlight<FileIdentity, Thumbnail>
  private var visible: PositionRange
  private var remainingVisible = 0
  private var remaining: Int
  private var scrollEnd: LoopTimer?

  init(_ pictures: [Picture], _ options: Options, on loop: EventLoop) {
    self.loop = loop
    self.pictures = pictures
    self.options = options
    scheduler = OperationScheduler("thumbnails", workerLimit: options.workers)
    singleFlight = SingleFlight(on: scheduler)
    visible = options.visible(count: pictures.count)
    remaining = pictures.count
  }

  /// Adds an operation for every picture, beginning with the picture nearest to the
  /// visible range. Operations with equal priorities run in the order they were
  /// added.
  func begin() {
    countVisible()
    for picture in pictures.sorted(by: isNearer) { make(picture) }
  }

  private func isNearer(_ one: Picture, _ other: Picture) -> Bool {
    visible.distance(to: one.position) < visible.distance(to: other.position)
  }

  private func priority(of picture: Picture) -> OperationPriority {
    let distance = visible.distance(to: picture.position)
    return distance == 0 ? .high : OperationPriority(-distance)
  }

  private func countVisible() {
    remainingVisible = pictures.count { isVisible($0) && !$0.isDone }
  }

  private func isVisible(_ picture: Picture) -> Bool {
    visible.distance(to: picture.position) == 0
  }
}

// Making and saving a thumbnail.
extension Album {
  private func make(_ picture: Picture) {
    let transaction = AsyncTransaction(on: loop, name: "make", scheduler: scheduler)
    let (path, size, priority) = (picture.path, options.size, priority(of: picture))
    let operation = transaction.add(singleFlight, for: picture.identity, priority: priority) {
      operation in
      try Thumbnail(of: path, size: size) { operation.isCancelled }
    } completion: { [self] outcome in
      switch outcome {
      case .value(let thumbnail): save(thumbnail, of: picture)
      case .cancelled: finish(picture, .cancelled)
      case .failed(let error): finish(picture, .failed(error))
      }
    }
    picture.stage = .making(operation)
    transaction.commit()
  }

  /// Writes the thumbnail on a worker, so that the loop does not wait for the disk.
  ///
  /// The write has the highest priority, because writing a thumbnail frees its
  /// memory.
  private func save(_ thumbnail: Thumbnail, of picture: Picture) {
    picture.stage = .saving
    let (name, out) = ("\(picture.name).png", options.out)
    let transaction = AsyncTransaction(on: loop, name: "save", scheduler: scheduler)
    transaction.add("save", priority: .interactive) { _ in
      try thumbnail.write(as: name, in: out)
    } completion: { [self] outcome in
      switch outcome {
      case .value: finish(picture, .value(thumbnail))
      case .cancelled: finish(picture, .cancelled)
      case .failed(let error): finish(picture, .failed(error))
      }
    }
    transaction.commit()
  }

  private func finish(_ picture: Picture, _ outcome: AsyncTransaction.Outcome<Thumbnail>) {
    picture.stage = .done
    let label = "\(picture.position) \(picture.name)"
    switch outcome {
    case .value(let thumbnail):
      summary.made += 1
      Console.printLine("made \(label) \(thumbnail.width)x\(thumbnail.height)")
    case .cancelled:
      summary.cancelled += 1
      Console.printLine("cancelled \(label)")
      return countDone(picture)
    case .failed(let error):
      summary.failed += 1
      Console.printLine("failed \(label): \(error)")
    }
    if !isVisible(picture), remainingVisible > 0 { summary.outOfOrder += 1 }
    countDone(picture)
  }

  /// Stops the loop after the last picture.
  private func countDone(_ picture: Picture) {
    if isVisible(picture) { remainingVisible -= 1 }
    remaining -= 1
    guard remaining == 0 else { return }
    summary.wakes = loop.metrics.wakesReceived
    loop.stop()
  }
}

// Commands.
extension Album {
  /// Performs a command from standard input.
  func perform(_ command: Command) {
    do {
      switch command {
      case .show(let range):
        try range.check(count: pictures.count)
        show(range)
      case .skip(let range):
        try range.check(count: pictures.count)
        Console.printLine("skipping \(range)")
        cancel(pictures[range.first - 1..<range.last])
      case .quit:
        Console.printLine("quitting")
        cancel(pictures[...])
      }
    } catch {
      Console.printError("\(error)")
    }
  }

  private func show(_ range: PositionRange) {
    Console.printLine("showing \(range)")
    visible = range
    countVisible()
    for picture in pictures.sorted(by: isNearer) {
      picture.makeOperation?.setPriority(priority(of: picture))
    }
    // While the user scrolls, the number of workers is reduced by one, which leaves a
    // processor to the loop.
    scheduler.isInteractive = true
    scrollEnd?.cancel()
    scrollEnd = loop.addTimer(after: .milliseconds(300)) { [self] _ in
      scheduler.isInteractive = false
    }
  }

  private func cancel(_ pictures: ArraySlice<Picture>) {
    for picture in pictures { picture.makeOperation?.cancel() }
  }
}
