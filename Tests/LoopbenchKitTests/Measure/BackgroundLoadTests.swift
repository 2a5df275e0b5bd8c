import CLoopbench
import Foundation
import LoopbenchKit
import Testing

@Suite("Load of a report")
struct LoadReportTests {
  private func report(_ load: BackgroundLoad) throws -> Report {
    var fixture = Fixture()
    fixture.load = load
    return try fixture.report()
  }

  @Test("a report states its load")
  func stated() throws {
    #expect(try report(.none).settings.load == nil)
    let report = try report(.cpu(2))
    #expect(report.settings.load == "cpu:2")
    #expect(report.rendered(as: .text).contains("\nload cpu:2\n"))
    #expect(report.rendered(as: .json).contains("\"load\" : \"cpu:2\""))
  }

  @Test("runs under different loads are not compared unless the comparison is forced")
  func comparison() throws {
    let (base, new) = (try report(.none), try report(.cpu(2)))
    let error = #expect(throws: LoopbenchError.self) { try ReportComparison(base: base, new: new) }
    #expect(
      error
        == .notComparable(
          "measured in other ways: the load is none in the base and cpu:2 now; measure the base"
            + " again with the same options"
        )
    )
    let forced = try ReportComparison(base: base, new: new, allowsOtherMachine: true)
    #expect(forced.notes.contains { $0.contains("cpu:2") })
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
