import CLoopbench
import Foundation
import LoopbenchKit
import Testing

@Suite("RunConditions")
struct RunConditionsTests {
  private func report(_ conditions: RunConditions) throws -> Report {
    var fixture = Fixture()
    fixture.conditions = conditions
    return try fixture.report()
  }

  @Test("a report states only conditions that differ from the standard")
  func parts() throws {
    #expect(try report(.standard).settings.conditions == nil)
    let other = RunConditions(priority: 50, slackNs: 50_000, load: "cpu:2")
    let report = try report(other)
    #expect(report.settings.conditions == other)
    let text = report.rendered(as: .text)
    #expect(text.contains("policy fifo:50 · timer slack 50.0us · load cpu:2\n"))
    #expect(report.rendered(as: .json).contains("\"load\" : \"cpu:2\""))
  }

  @Test("runs under different conditions are not compared unless the comparison is forced")
  func comparison() throws {
    let (base, new) = (try report(.standard), try report(RunConditions(load: "cpu:2")))
    let error = #expect(throws: LoopbenchError.self) { try ReportComparison(base: base, new: new) }
    #expect(
      error
        == .notComparable(
          "measured in other ways: the machine setup is default in the base and"
            + " load cpu:2 now; measure the base again with the same options"
        )
    )
    let forced = try ReportComparison(base: base, new: new, allowsOtherMachine: true)
    #expect(forced.notes.contains { $0.contains("load cpu:2") })
  }

  @Test("a slice has the conditions of the run")
  func slices() throws {
    let conditions = RunConditions(slackNs: 7)
    let peer = AskingPeer(expected: conditions)
    var fixture = Fixture()
    fixture.peers = [peer]
    fixture.conditions = conditions
    #expect(try fixture.report().results.map(\.peer) == ["uv"])
  }

  private struct AskingPeer: Peer {
    let name = "uv"
    let scenario = "fake"
    let series = ["one"]
    let summary = "asks"
    let expected: RunConditions

    func measure(_ slice: inout Slice) throws(PeerError) {
      guard slice.conditions == expected else { throw PeerError("other conditions") }
      slice.record(nanoseconds: 1)
    }
  }
}

@Suite("BackgroundLoad", .serialized)
struct BackgroundLoadTests {
  @Test("valid loads are parsed, and any other text is refused")
  func parsing() {
    for text in ["none", "cpu:1", "cpu:64", "mem:2", "cmd:make -j2 a:b"] {
      #expect(BackgroundLoad(text)?.text == text)
    }
    for bad in [
      "", "cpu", "cpu:", "cpu:0", "cpu:65", "cpu:x", "mem:-1", "cmd:", "none:1", "disk:1",
    ] {
      #expect(BackgroundLoad(bad) == nil, "\(bad)")
    }
    #expect(BackgroundLoad.cpu(3).commands.count == 3)
    #expect(BackgroundLoad.none.commands.isEmpty)
  }

  @Test("a load runs in its own process group until it is stopped")
  func runs() throws {
    for load in [BackgroundLoad.cpu(2), .memory(1), .command("sleep 1000")] {
      let running = try RunningLoad(load)
      #expect(running.processes.count == load.commands.count)
      for process in running.processes {
        #expect(getpgid(process) == process)
        #expect(kill(process, 0) == 0)
      }
      let processes = running.processes
      #expect(running.stop() == nil)
      for process in processes { #expect(kill(process, 0) == -1) }
      #expect(running.stop() == nil)
    }
  }

  @Test("stopping a load that has already ended returns a warning with its status")
  func ends() throws {
    let running = try RunningLoad(.command("exit 7"))
    let process = try #require(running.processes.first)
    var info = siginfo_t()
    // WNOWAIT: `stop` still has to read the status.
    #expect(waitid(P_PID, id_t(process), &info, WEXITED | WNOWAIT) == 0)
    let warning = running.stop()
    #expect(warning?.id == "load-ended")
    #expect(warning?.text == "the load cmd:exit 7 ended before the run, with status 7")
  }

  // In its own process, because other tests run programs as loads at the same time.
  @Test("cl_load_kill kills all loads")
  func killed() async {
    await #expect(processExitsWith: .success) {
      let process = cl_load_start("sleep 1000")
      #expect(process > 0)
      cl_load_kill()
      var info = siginfo_t()
      #expect(waitid(P_PID, id_t(process), &info, WEXITED | WNOWAIT) == 0)
      #expect(cl_load_stop(process) == 128 + SIGKILL)
    }
  }
}
