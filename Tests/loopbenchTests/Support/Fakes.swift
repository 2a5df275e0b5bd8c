import LoopbenchKit
import Synchronization
import LoopbenchCommands

/// Runs the program with simulated peers and captures its output.
struct FakeProgram {
  var context = Context(arguments: ["loopbench"], registry: .tiny)
  /// The registry of a fresh process. Nil means the registry of this process.
  var fresh: (@Sendable () -> Registry)?

  struct Outcome {
    let code: ExitCode
    let output: String
    let error: String
  }

  func run(_ arguments: [String]) -> Outcome {
    var texts: [Terminal: String] = [:]
    var context = context
    context.arguments += arguments
    context.runAgain = { [context, fresh] (words) throws(SystemError) in
      var other = context
      other.arguments = ["loopbench"] + words
      other.registry = fresh?() ?? context.registry
      return Int(Program(other) { _, _ in }.run().rawValue)
    }
    let code = Program(context) { texts[$0, default: ""] += $1 }.run()
    return Outcome(code: code, output: texts[.output] ?? "", error: texts[.error] ?? "")
  }

  func run(_ arguments: String...) -> Outcome { run(arguments) }
}

/// A peer whose samples all take `nanoseconds`, or that always fails.
struct FixedPeer: Peer {
  var name: String
  var scenario: String
  let series = ["one"]
  let summary = "fixed"
  var nanoseconds: UInt64 = 5
  var fails = false
  var isReference = false

  func measure(_ slice: inout Slice) throws(PeerError) {
    if fails { throw PeerError("out of luck") }
    slice.sample { operations in UInt64(operations) * nanoseconds }
  }
}

extension Registry {
  static let tiny = made(uv: FixedPeer(name: "uv", scenario: "tiny"))

  static func made(uv: FixedPeer) -> Registry {
    let one = Series(
      name: "one",
      summary: "one time",
      workload: Workload(warmUps: 0, samples: 4, operations: 10)
    )
    return Registry(
      scenarios: [
        Scenario(name: "tiny", summary: "a test", series: [one], details: "What is timed."),
        Scenario(name: "other", summary: "another test", series: [one]),
      ],
      peers: [uv, FixedPeer(name: "lt", scenario: "other")]
    )
  }
}

/// An interruption that reports `reason` after `count` checks.
func interruption(_ reason: Interruption.Reason, after count: Int) -> Interruption {
  let asked = Counter()
  return Interruption { asked.next() > count ? reason : nil }
}

private final class Counter: Sendable {
  private let count = Atomic<Int>(0)

  func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }
}
