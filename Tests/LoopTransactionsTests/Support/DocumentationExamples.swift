import Dispatch
import LoopTransactions
import Observation

// The examples of the documentation comments, compiled and not run. scripts/lib/blocks.py
// compares them.

private struct Picture: Sendable {}
private struct Page: Sendable {
  func matches(_ text: String) -> Bool { true }
}
private final class View {
  func show(_ picture: Picture) {}
}
@discardableResult
@Sendable private func decode(_ file: String) -> Picture { Picture() }
@Sendable private func write(_ page: Page) {}
private func startThread(_ body: @escaping @Sendable () -> Void) {
  DispatchQueue.global().async(execute: body)
}

@MainActor
private func completion(_ transaction: AsyncTransaction) async {
  transaction.commit()
  await transaction.completion
}

@MainActor
private func asyncTransaction(_ loop: EventLoop, _ file: String, _ view: View) {
  let transaction = AsyncTransaction(on: loop)
  transaction.add { _ in
    decode(file)
  } completion: { outcome in
    if case .value(let picture) = outcome { view.show(picture) }
  }
  transaction.commit()
}

private struct Span: Sendable {
  @TaskLocal static var current: Span?
}

@MainActor
private func boundValue(_ transaction: AsyncTransaction, _ file: String) {
  let span = Span.current
  transaction.add { _ in Span.$current.withValue(span) { decode(file) } }
}

@MainActor
private func container(
  _ loop: EventLoop,
  _ file: String,
  _ show: @escaping (AsyncTransaction.Outcome<Picture>) -> Void
) {
  let card = TransactionContainer(on: loop, collects: true)
  let cover = TransactionContainer(on: loop, in: card)
  cover.transaction.add { _ in
    decode(file)
  } completion: { outcome in
    show(outcome)
  }
}

@MainActor
private func group(_ loop: EventLoop) {
  let transaction = AsyncTransaction(on: loop)
  loop.transactionGroup.add(transaction)  // committed at the end of the tick
}

private func scheduler(_ rows: [Int], _ draw: @escaping @Sendable (Int) -> Void) {
  let scheduler = OperationScheduler("thumbnails")
  let operation = scheduler.add(priority: .high) { operation in
    for row in rows where !operation.isCancelled { draw(row) }
  }
  operation.setPriority(.background)
  operation.cancel()
}

@MainActor
private func sentinel(
  _ searches: Sentinel,
  _ transaction: AsyncTransaction,
  _ pages: [Page],
  _ text: String,
  _ show: @escaping (AsyncTransaction.Outcome<[Page]>) -> Void
) {
  let request = searches.advance()
  transaction.add { _ in
    pages.filter { searches.value == request && $0.matches(text) }
  } completion: { outcome in
    show(outcome)
  }
}

@MainActor
private func interactive(_ scheduler: OperationScheduler, _ loop: EventLoop) {
  let mode = InteractiveMode(of: [scheduler], on: loop)
  mode.inputArrived()  // in the callback for scrolling, keys, touches
}

private func serialQueue(_ page: Page) {
  let disk = SerialQueue("disk", priority: .background)
  disk.add { write(page) }
}

private func serialQueuePool(_ file: String) {
  let decoding = SerialQueuePool("decode", priority: .high)
  decoding.next().add { decode(file) }
}

private typealias Path = String

@MainActor
private func singleFlight(
  _ transaction: AsyncTransaction,
  _ path: Path,
  _ decode: @escaping @Sendable (Path) throws -> Picture,
  _ show: @escaping (AsyncTransaction.Outcome<Picture>) -> Void
) {
  let pictures = SingleFlight<Path, Picture>()
  transaction.add(pictures, for: path) { _ in
    try decode(path)
  } completion: { outcome in
    show(outcome)
  }
}

private func locked() {
  let hits = Locked(0)
  hits.withLock { $0 += 1 }
}

private func preference(_ file: String) async {
  @Sendable func decode(_ file: String) async {}
  let scheduler = OperationScheduler("pictures")
  await withTaskExecutorPreference(scheduler) { await decode(file) }
}
