import AsyncDisplay
public import CardFeed
import LoopTransactions
public import LoopbenchKit

/// A variant of the feed, as a peer of the `frames` scenario.
public struct FramesPeer: Peer {
  private let variant: FeedVariant

  /// Creates the peer of `variant`.
  public init(_ variant: FeedVariant) { self.variant = variant }

  /// The name of the variant.
  public var name: String { variant.name }
  /// Always `frames`.
  public var scenario: String { FramesScenario.name }
  /// The names of the series, one per load.
  public var series: [String] { FrameSeries.all.map(\.name) }
  /// The summary of the variant.
  public var summary: String { variant.summary }

  /// Whether a run that names no variants measures this one: the start and the end of
  /// the path from the tutorial, because every turn takes seconds.
  public var isStandard: Bool { [FeedVariant.s0.name, FeedVariant.a4.name].contains(name) }

  /// Whether the variant uses no worker threads.
  public var isReference: Bool { variant.isSynchronous }

  /// Runs the feed for the frames of the slice.
  public func measure(_ slice: inout Slice) throws(PeerError) {
    guard let series = FrameSeries.all.first(where: { $0.name == slice.series }) else {
      throw slice.unknownSeries
    }
    do {
      let machine = try FrameMachine.shared.get()
      var run = FrameRun(variant, machine.corpus, series.script(machine.speed(at: series.load)))
      run.refreshes = slice.workload.samples
      run.warmUps = slice.workload.warmUps
      run.invalidates = series.invalidates
      let card = try machine.load(of: variant).cardSeconds
      let record = try run.record()
      slice.add(record, of: series.name, cardSeconds: card)
      if series.load > 0 { machine.follow(record, of: variant) }
    } catch {
      throw PeerError("\(error)")
    }
  }
}

/// The cards and their cost on this machine, shared by all variants.
struct FrameMachine: Sendable {
  let corpus: CardCorpus
  // The cost of a card for S0, which determines the scroll speed. May be used
  // on any thread.
  private let plain: Locked<FrameLoad>
  // The cost of a card for S2, whose blur is cheaper. Measured on first use.
  private static let cheap = Result { try FrameLoad(shared.get().corpus, .s2) }

  // Created once per process, so that every variant gets the same cards and
  // speed. At 3.5 pixels per point, as on some phones, a card takes several
  // refreshes, as it did on the tutorial's hardware. At 2 pixels per point, a
  // card takes one or two refreshes.
  static let shared = Result { try FrameMachine() }

  private init() throws {
    corpus = try CardCorpus(scale: System.environment("LOOPBENCH_FRAMES_SCALE", 0.1...4) ?? 3.5)
    plain = Locked(try FrameLoad(corpus, .s0))
  }

  /// Returns the speed at which S0 has the load `load`, in points per second.
  func speed(at load: Double) -> Double { plain.withLock { $0.speed(at: load) } }

  /// Adapts the cost to `record` if it is a run of S0.
  func follow(_ record: FrameRecord, of variant: FeedVariant) {
    guard variant.name == FeedVariant.s0.name else { return }
    plain.withLock { $0.follow(record) }
  }

  /// Returns the cost of a card for `variant`.
  func load(of variant: FeedVariant) throws -> FrameLoad {
    variant.blurReduction == 1 ? plain.withLock { $0 } : try Self.cheap.get()
  }
}

extension Slice {
  /// Adds the samples and counts of a run.
  mutating func add(_ record: FrameRecord, of series: String, cardSeconds: Double) {
    for interval in record.intervals { self.record(nanoseconds: Double(interval)) }
    for stall in record.stalls { self.record(nanoseconds: Double(stall), as: "\(series).stall") }
    for input in record.inputs { self.record(nanoseconds: Double(input), as: "\(series).input") }
    for wait in record.waits { self.record(nanoseconds: Double(wait), as: "\(series).content") }
    for stop in record.stops {
      self.record(nanoseconds: Double(stop.after), as: "\(series).cancel")
      guard let computed = stop.computed else { continue }
      self.record(nanoseconds: Double(computed), as: "\(series).stop")
    }
    let counts: [(String, Int)] = [
      ("frames", record.refreshes.count), ("dropped", record.dropped),
      ("dropped busy", record.droppedBusy), ("seen", record.tiles), ("blank", record.blanks),
      ("stale", record.stale), ("wanted", record.wanted), ("shown", record.shown),
      ("given up", record.givenUp), ("cancelled", record.cancelled),
      ("pictures", record.pictures), ("stopped", record.stops.count),
      ("process ns", Int(record.processNs)), ("loop ns", Int(record.loopNs)),
      ("card ns", Int(cardSeconds * 1e9)), ("peak bytes", record.peakBytes),
      ("running", record.running),
    ]
    for (name, value) in counts { count(UInt64(max(0, value)), as: name) }
  }
}
