/// A recorded load: who handed what to a loop, when, and what it cost.
///
/// Made from a text that `docs/replay-format.md` describes:
///
/// ```swift
/// let replay = try Replay.parse("loopreplay 1\n0 1 document layout 250\n")
/// let registry = Registry.replay(replay)
/// ```
public struct Replay: Equatable, Sendable {
  /// One commit of the load.
  public struct Entry: Equatable, Sendable {
    /// When it was made, in us since the load began.
    public let time: Int
    /// Who made it: 0 is the loop's own thread, others have a thread each.
    public let producer: Int
    /// Which of `Replay.actions` it asks for.
    public let action: Int
    /// How long performing it takes, in us.
    public let cost: Int
  }

  /// What can be committed: a target and a selector.
  public struct Action: Hashable, Sendable {
    /// The target's name.
    public let target: String
    /// The selector's name.
    public let selector: String
  }

  /// In the order of their times.
  public let entries: [Entry]
  /// Every pair of target and selector, once.
  public let actions: [Action]

  /// The producers' numbers, ascending.
  public var producers: [Int] { Set(entries.map(\.producer)).sorted() }

  /// When the last commit was made, in us since the load began.
  public var duration: Int { entries.last?.time ?? 0 }

  /// What performing every commit by itself would take, in us.
  public var cost: Int { entries.reduce(0) { $0 + $1.cost } }
}
