import LoopTransactions

/// The pictures, what is visible of them, and what is made. Of the loop's thread.
final class Album {
  let loop: EventLoop
  let scheduler: OperationScheduler
  let pictures: [Picture]
  let options: Options
  private(set) var summary = Summary()

  // Files that are the same one are decoded once, and at once.
  private let flights: SingleFlight<FileIdentity, Thumbnail>
  private var visible: Rows
  private var visibleLeft = 0
  private var left: Int
  private var rest: LoopTimer?

  init(_ pictures: [Picture], _ options: Options, on loop: EventLoop) {
    self.loop = loop
    self.pictures = pictures
    self.options = options
    scheduler = OperationScheduler("thumbnails", workerLimit: options.workers)
    flights = SingleFlight(on: scheduler)
    visible = options.visible(count: pictures.count)
    left = pictures.count
  }

  /// Begins with every picture, the nearest first: equal priorities keep that order.
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
    visibleLeft = pictures.count { isVisible($0) && !$0.isDone }
  }

  private func isVisible(_ picture: Picture) -> Bool {
    visible.distance(to: picture.position) == 0
  }
}

// From a picture to its outcome.
extension Album {
  private func make(_ picture: Picture) {
    let transaction = AsyncTransaction(on: loop, name: "make", scheduler: scheduler)
    let (path, size, nearness) = (picture.path, options.size, priority(of: picture))
    let operation = transaction.add(flights, for: picture.identity, priority: nearness) {
      operation in
      try Thumbnail(of: path, size: size) { operation.isCancelled }
    } completion: { [self] outcome in
      switch outcome {
      case .value(let thumbnail): save(thumbnail, of: picture)
      case .cancelled: tell(picture, .cancelled)
      case .failed(let error): tell(picture, .failed(error))
      }
    }
    picture.stage = .making(operation)
    transaction.commit()
  }

  /// Writes it on a worker, too: the loop waits for no disk. Above all that waits, for
  /// that frees its memory.
  private func save(_ thumbnail: Thumbnail, of picture: Picture) {
    picture.stage = .saving
    let (name, out) = ("\(picture.name).png", options.out)
    let transaction = AsyncTransaction(on: loop, name: "save", scheduler: scheduler)
    transaction.add("save", priority: .interactive) { _ in
      try thumbnail.write(as: name, in: out)
    } completion: { [self] outcome in
      switch outcome {
      case .value: tell(picture, .value(thumbnail))
      case .cancelled: tell(picture, .cancelled)
      case .failed(let error): tell(picture, .failed(error))
      }
    }
    transaction.commit()
  }

  private func tell(_ picture: Picture, _ outcome: AsyncTransaction.Outcome<Thumbnail>) {
    picture.stage = .done
    let what = "\(picture.position) \(picture.name)"
    switch outcome {
    case .value(let thumbnail):
      summary.made += 1
      Console.tell("made \(what) \(thumbnail.width)x\(thumbnail.height)")
    case .cancelled:
      summary.cancelled += 1
      Console.tell("cancelled \(what)")
      return count(picture)
    case .failed(let error):
      summary.failed += 1
      Console.tell("failed \(what): \(error)")
    }
    if !isVisible(picture), visibleLeft > 0 { summary.outOfOrder += 1 }
    count(picture)
  }

  private func count(_ picture: Picture) {
    if isVisible(picture) { visibleLeft -= 1 }
    left -= 1
    guard left == 0 else { return }
    summary.wakes = loop.metrics.wakesReceived
    loop.stop()
  }
}

// Commands.
extension Album {
  /// Does what a line of standard input said.
  func perform(_ command: Command) {
    do {
      switch command {
      case .show(let rows):
        try rows.check(count: pictures.count)
        show(rows)
      case .skip(let rows):
        try rows.check(count: pictures.count)
        Console.tell("skipping \(rows)")
        cancel(pictures[rows.first - 1..<rows.last])
      case .quit:
        Console.tell("quitting")
        cancel(pictures[...])
      }
    } catch {
      Console.complain("\(error)")
    }
  }

  private func show(_ rows: Rows) {
    Console.tell("showing \(rows)")
    visible = rows
    countVisible()
    for picture in pictures.sorted(by: isNearer) {
      picture.making?.setPriority(priority(of: picture))
    }
    // A worker fewer while somebody scrolls: its processor is the loop's.
    scheduler.isInteractive = true
    rest?.cancel()
    rest = loop.addTimer(after: .milliseconds(300)) { [self] _ in scheduler.isInteractive = false }
  }

  private func cancel(_ some: ArraySlice<Picture>) {
    for picture in some { picture.making?.cancel() }
  }
}
