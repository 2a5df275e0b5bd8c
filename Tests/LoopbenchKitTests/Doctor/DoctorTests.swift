import LoopbenchKit
import Synchronization
import Testing

@Suite("Doctor")
struct DoctorTests {
  @Test("other processes are bad from a quarter of the CPUs")
  func load() {
    #expect(Doctor.load(0.1, of: 2, "just now").status == .ok)
    #expect(Doctor.load(0.2, of: 2, "just now").status == .warn)
    let bad = Doctor.load(0.5, of: 2, "just now")
    #expect(bad.status == .bad)
    #expect(bad.text == "other processes used 0.50 of 2 CPUs just now: times are not reliable")
    #expect(Doctor.load(0, of: 1, "just now").text == "other processes used 0.00 of 1 CPU just now")
  }

  @Test("the CPU time of other processes is the difference of two readings")
  func others() {
    let began = ProcessorTimes(at: 1000, busy: 5000, own: 100)
    #expect(ProcessorTimes(at: 2000, busy: 7000, own: 600).others(since: began) == 1.5)
    #expect(ProcessorTimes(at: 2000, busy: 5000, own: 600).others(since: began) == 0)
    #expect(ProcessorTimes(at: 2000, busy: 0, own: 600).others(since: began) == nil)
    #expect(ProcessorTimes(at: 1000, busy: 7000, own: 600).others(since: began) == nil)
  }

  @Test("a watched machine has its number of CPUs, and the faults that doctor finds")
  func watch() {
    let state = MachineState.watch()()
    #expect(state.cpus == Machine.cpuCount)
    let expected = MachineState(.read(), others: state.others)
    #expect(state.faults == expected.faults)
  }

  private static func facts(_ change: (inout MachineFacts) -> Void = { _ in }) -> MachineFacts {
    var facts = MachineFacts(machine: Fixture.machine, allowedCPUs: 2, headerLibuv: "1.44.2")
    facts.machine.build = "debug"
    facts.load = 9
    change(&facts)
    return facts
  }

  /// The state of a machine with `facts`. Other processes used `busy` ns of its last
  /// 1,000 ns.
  private func watched(_ facts: MachineFacts, busy: UInt64) -> MachineState {
    let count = Count()
    return MachineState.watch {
      facts
    } times: {
      let isLast = count.next() > 0
      return ProcessorTimes(at: isLast ? 2000 : 1000, busy: 5000 + (isLast ? busy : 0), own: 100)
    }()
  }

  @Test("a watched machine has no fault after a quiet run, even if its load was high before")
  func faultless() {
    let state = watched(Self.facts(), busy: 100)
    #expect(state.others == 0.1 && state.faults.isEmpty, "\(state.faults)")
  }

  @Test("a cgroup, a single CPU and other processes are the faults of a watched machine")
  func faults() throws {
    let throttled = watched(Self.facts { $0.quota = 1.5 }, busy: 0)
    #expect(throttled.faults.map(\.id) == ["cgroup"])
    let limit = "a cgroup limits CPU time to 1.50 CPUs: threads will be throttled"
    #expect(throttled.faults.first?.text == limit)
    let single = watched(Self.facts { $0.allowedCPUs = 1 }, busy: 0)
    #expect(single.faults.map(\.id) == ["cpus"])
    let used = "1 of 2 CPUs may be used: nothing can run across CPUs"
    #expect(single.faults.first?.text == used)
    let busy = watched(Self.facts { ($0.quota, $0.allowedCPUs) = (0.5, 1) }, busy: 1500)
    #expect(busy.faults.map(\.id) == ["cpus", "cgroup", "load"])
    #expect(busy.faults.last?.text.contains("1.50 of 2 CPUs during the run") == true)
    let warnings = busy.faults.map { Warning($0) }
    #expect(warnings.allSatisfy { !$0.hint.isEmpty })
    // With a single CPU, series across CPUs are not measured, and the others are reliable.
    #expect(warnings.map(\.spoil) == [nil, "throttled", "busy"])
  }

  @Test("only faults that make times unreliable spoil verdicts")
  func spoils() {
    let busy = Doctor.load(2, of: 2, "during the run")
    #expect(Warning(busy).spoil == "busy")
    #expect(Warning(Finding("descriptors", "few").bad(fix: "more")).spoil == nil)
  }
}

/// Counts calls.
private final class Count: Sendable {
  private let count = Atomic<Int>(0)

  func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).oldValue }
}
