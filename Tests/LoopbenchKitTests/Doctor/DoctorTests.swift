import LoopbenchKit
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

  @Test("a watched machine has its number of CPUs")
  func watch() {
    let state = MachineState.watch()()
    #expect(state.cpus == Machine.cpuCount)
    #expect(state.faults.allSatisfy { $0.status == .bad })
  }

  @Test("only faults that make times unreliable spoil verdicts")
  func spoils() {
    let busy = Doctor.load(2, of: 2, "during the run")
    #expect(Warning(busy).spoil == "busy")
    #expect(Warning(Finding("descriptors", "few").bad(fix: "more")).spoil == nil)
  }
}
