import LoopbenchKit
import Synchronization

/// A deterministic run: one scenario, made-up peers and a stepping clock.
struct Fixture {
  var scenario = Scenario(
    name: "fake",
    summary: "made-up times",
    series: [
      Series(
        name: "one",
        summary: "a made-up time",
        workload: Workload(warmUps: 1, samples: 5, operations: 1)
      )
    ],
    references: ["uv", "floor"],
    extras: [.difference, .processorUse]
  )
  var peers: [any Peer] = [
    FakePeer(name: "uv", base: 1000),
    FakePeer(name: "floor", base: 100),
    FakePeer(name: "lt", base: 500),
  ]
  var placement = Placement(cpuCount: 2, loop: nil, producer: nil)
  var rounds = RoundCount.fixed(10)
  var seed: UInt64 = 7
  var control = AAControl.never
  var warmUp = WarmUp.rounds(1)
  var load = BackgroundLoad.none
  var instruments = Instruments.stepping()
  var machine = Self.machine

  static let machine = Machine(
    cpu: "Abacus 9",
    cpus: 2,
    virtualization: "KVM",
    os: "Linux 6.1 x86_64",
    libuv: "1.44.2",
    swift: "6.3",
    build: "release"
  )

  var registry: Registry { Registry(scenarios: [scenario], peers: peers) }

  func runner() throws -> Runner {
    Runner(
      contenders: try Selection(from: registry, placement: placement, control: control).contenders,
      seed: seed,
      rounds: rounds,
      warmUp: warmUp,
      instruments: instruments
    )
  }

  func report() throws -> Report {
    Report(
      try runner().run(),
      argv: ["loopbench", "fake"],
      machine: machine,
      placement: placement,
      load: load
    )
  }
}

extension Instruments {
  /// Instruments whose clock advances by 1 us per reading. They report half of that
  /// time as CPU time.
  static func stepping() -> Instruments {
    let ticks = Ticks()
    var instruments = Instruments()
    instruments.now = { ticks.next() }
    instruments.usage = {
      ResourceUse(
        cpuNs: ticks.now / 2,
        voluntarySwitches: ticks.now / 1000,
        involuntarySwitches: 0
      )
    }
    return instruments
  }

  private final class Ticks: Sendable {
    private let count = Atomic<UInt64>(0)

    var now: UInt64 { count.load(ordering: .relaxed) * 1000 }

    func next() -> UInt64 {
      count.wrappingAdd(1, ordering: .relaxed).newValue * 1000
    }
  }
}

extension Registry {
  /// Selects every series of every scenario, including scenarios that are not
  /// standard.
  ///
  /// - Parameter peers: The names of the peers; `nil` means all. Leaves out
  ///   named peers that are unavailable: two need loopbench-foundation, which may
  ///   not be built.
  func everything(
    peers: [String]? = nil
  ) throws(LoopbenchError) -> (contenders: [Contender], warnings: [Warning]) {
    var (contenders, warnings): ([Contender], [Warning]) = ([], [])
    for scenario in scenarios {
      let its = self.peers(of: scenario).filter { $0.unavailability == nil }.map(\.name)
      let wanted = peers.map { $0.filter(its.contains) } ?? [Selection.all]
      guard !wanted.isEmpty else { continue }
      let selection = try Selection(
        from: self,
        scenarios: [scenario.name],
        peers: wanted,
        placement: .detect(),
        control: .never
      )
      contenders += selection.contenders
      warnings += selection.warnings
    }
    return (contenders, warnings)
  }
}
