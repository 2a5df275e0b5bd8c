import AsyncDisplay
import LoopTransactions
import LoopTransactionsTesting
import Testing

@Suite("Ledger")
struct LedgerTests {
  // D2, D3, D5
  @Test(
    "in 100,000 random events each willDisplay gets one didDisplay, and no stale contents are shown",
    arguments: [2026, 7]
  )
  func stress(_ seed: UInt64) throws {
    try withDisplay(workers: 3, inFlightLimit: 4096) { display in
      let ledger = Ledger(display, seed: seed, layers: 12)
      for _ in 0..<100_000 { ledger.makeEvent() }
      ledger.stopEvents()
      let isFinished = display.settle()
      #expect(isFinished)
      let breaches = ledger.breaches + ledger.finish()
      #expect(breaches.prefix(3) == [])
      #expect(ledger.shownCount > 1000)
      let metrics = display.metrics
      let ended = metrics.displayed + metrics.cleared + metrics.cancelled + metrics.failed
      #expect(metrics.begun == ended)
      #expect(metrics.cancelled > 300 && metrics.failed > 300 && metrics.cleared > 300)
      #expect(metrics.inFlightBytes == 0 && metrics.waiting == 0)
    }
  }
}

/// Layers that are exposed to random events, and the promises made to each
/// layer.
private final class Ledger {
  private(set) var breaches: [String] = []
  private(set) var shownCount = 0

  private let display: Display
  private var generator: SeededGenerator
  private var accounts: [Account] = []
  private let loop = ThreadName()
  private var isOpen = true
  // The accounts of released layers.
  private var closed: [Account] = []

  init(_ display: Display, seed: UInt64, layers: Int) {
    self.display = display
    generator = SeededGenerator(seed: seed)
    for _ in 0..<layers { accounts.append(open()) }
  }

  func makeEvent() {
    let index = pick(accounts.count)
    let account = accounts[index]
    guard let layer = account.layer else { return }
    switch pick(100) {
    case 0..<40: layer.setNeedsDisplay()
    case 40..<48: layer.displayNow()
    case 48..<54: layer.displayIfNeeded()
    case 54..<62:
      layer.cancelDisplay()
      account.cancelledBefore = account.begun
      check(!layer.isDisplaying, "still displaying after cancelDisplay()")
    case 62..<68: layer.size = Self.sizes[pick(Self.sizes.count)]
    case 68..<72: hold(account, \.isSuspended, layer)
    case 72..<76: hold(account, \.isDetached, layer)
    case 76..<78: drop(index)
    case 78..<81: layer.displaysAsynchronously.toggle()
    case 81..<83: layer.contentsPolicy = [.keep, .clear, .placeholder][pick(3)]
    case 83..<86: layer.priority = OperationPriority(pick(100) - 50)
    case 86..<87: layer.waitUntilDisplayed()
    case 87..<88: layer.clearContents()
    case 88..<89:
      display.loop.budget = EventLoop.Budget(time: .microseconds([1, 50, 4000][pick(3)]))
    default: display.loop.run(.noWait)
    }
  }

  /// Stops the random events, and makes every layer ready to be displayed.
  func stopEvents() {
    isOpen = false
    for account in accounts {
      account.layer?.isSuspended = false
      account.layer?.isDetached = false
      account.layer?.displaysAsynchronously = true
      account.layer?.size = Size(width: 4, height: 4)
      account.layer?.setNeedsDisplay()
    }
  }

  /// Returns the broken promises. Call when the loop has no work left.
  func finish() -> [String] {
    var left: [String] = []
    for account in accounts + closed where account.begun != account.ended {
      left.append(
        "willDisplay was called \(account.begun) times, didDisplay \(account.ended) times"
      )
    }
    for account in accounts where account.layer?.needsDisplay != false {
      left.append("a layer stayed dirty")
    }
    return left
  }

  // Makes random changes from within a didDisplay.
  private func meddle(_ account: Account) {
    guard let layer = account.layer else { return }
    switch pick(6) {
    case 0: layer.setNeedsDisplay()
    case 1: layer.displayNow()
    case 2: layer.displayIfNeeded()
    case 3: layer.isSuspended = false
    case 4: layer.waitUntilDisplayed()
    default: layer.clearContents()
    }
  }

  private func hold(
    _ account: Account,
    _ path: ReferenceWritableKeyPath<Layer, Bool>,
    _ layer: Layer
  ) {
    layer[keyPath: path].toggle()
    if layer[keyPath: path] { account.cancelledBefore = account.begun }
  }

  private func drop(_ index: Int) {
    let account = accounts[index]
    account.cancelledBefore = account.begun
    account.layer = nil
    closed.append(account)
    accounts[index] = open()
  }

  private func open() -> Account {
    let account = Account(ledger: self)
    let layer = Layer(in: display)
    layer.delegate = account
    layer.size = Size(width: 4, height: 4)
    account.layer = layer
    return account
  }

  fileprivate func check(_ isAsPromised: Bool, _ what: String) {
    if !isAsPromised { breaches.append(what) }
  }

  fileprivate func pick(_ count: Int) -> Int { Int(generator.next() % UInt64(count)) }

  fileprivate func begin(_ account: Account) -> DisplayTask {
    let number = account.begun + 1
    let kind = pick(10)
    return DisplayTask(
      willDisplay: { [self] layer in
        check(layer === account.layer, "willDisplay received another layer")
        check(loop.isCurrent, "willDisplay called off the loop")
        check(number == account.begun + 1, "willDisplay called out of order")
        account.begun = number
      },
      didDisplay: { [self] layer, outcome in
        check(layer === account.layer, "didDisplay received another layer")
        check(loop.isCurrent, "didDisplay called off the loop")
        check(account.ended + 1 == number, "didDisplay \(number) came after \(account.ended)")
        account.ended = number
        end(account, number, outcome)
      },
      display: kind == 0 ? nil : Self.drawing(number, kind)
    )
  }

  private static func drawing(_ number: Int, _ kind: Int) -> DisplayTask.Display {
    { context, size, isCancelled in
      context.fill(Rect(size: size), with: color(of: number))
      if kind == 1 { throw Failure() }
      for _ in 0..<(kind * 100) { if isCancelled() { return } }
    }
  }

  private func end(_ account: Account, _ number: Int, _ outcome: DisplayOutcome) {
    defer { if isOpen, pick(20) == 0 { meddle(account) } }
    guard outcome.isFinished else { return }
    check(number > account.cancelledBefore, "display \(number) was applied after it was cancelled")
    check(number > account.shown, "display \(number) was applied after \(account.shown)")
    account.shown = number
    guard case .displayed = outcome, let layer = account.layer else { return }
    shownCount += 1
    check(
      layer.contents?.firstPixel == Self.pixel(of: number),
      "the contents are not those that didDisplay reported"
    )
  }

  private static let sizes = [
    Size(width: 4, height: 4), Size(width: 4, height: 4), Size(width: 16, height: 8), .zero,
    Size(width: .nan, height: 4), Size(width: -1, height: 4), Size(width: 1e9, height: 1e9),
    Size(width: 0.5, height: 4),
  ]

  private static func color(of number: Int) -> Color {
    Color(
      red: Double(number >> 16 & 255) / 255,
      green: Double(number >> 8 & 255) / 255,
      blue: Double(number & 255) / 255
    )
  }

  private static func pixel(of number: Int) -> UInt32 { 0xFF00_0000 | UInt32(number & 0xFF_FFFF) }

  private struct Failure: Error {}
}

/// The promises made to one layer.
private final class Account: LayerDelegate {
  var layer: Layer?
  var begun = 0
  var ended = 0
  var shown = 0
  /// The number up to which displays must not be shown.
  var cancelledBefore = 0
  private unowned let ledger: Ledger

  init(ledger: Ledger) { self.ledger = ledger }

  func displayTask(for layer: Layer) -> DisplayTask? { ledger.begin(self) }
}
