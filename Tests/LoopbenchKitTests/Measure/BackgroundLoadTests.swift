import CLoopbench
import Foundation
import LoopbenchKit
import Testing

@Suite("BackgroundLoad", .serialized)
struct BackgroundLoadTests {
  @Test("a load is read as it is written, and nothing else is one")
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

  @Test("a load runs until it is stopped, in a group of its own")
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

  @Test("one that ended by itself is told, with its status")
  func ends() throws {
    let running = try RunningLoad(.command("exit 7"))
    let process = try #require(running.processes.first)
    var info = siginfo_t()
    // Waits, and leaves it to be waited for again.
    #expect(waitid(P_PID, id_t(process), &info, WEXITED | WNOWAIT) == 0)
    let warning = running.stop()
    #expect(warning?.id == "load-ended")
    #expect(warning?.text == "the load cmd:exit 7 ended before the run, with status 7")
  }

  @Test("all loads end when the program is told twice to end")
  func killed() throws {
    let process = cl_load_start("sleep 1000")
    #expect(process > 0)
    cl_load_kill()
    var info = siginfo_t()
    #expect(waitid(P_PID, id_t(process), &info, WEXITED | WNOWAIT) == 0)
    #expect(cl_load_stop(process) == 128 + SIGKILL)
  }
}
