import LoopWatch
import LoopbenchKit
import Testing

@Suite("LoopList")
struct LoopListTests {
  private typealias Process = ProcessLook.Process
  private typealias Thread = ProcessLook.Thread

  /// The list of two looks, 100 ns apart.
  private func list(_ first: [Int32: Process], _ second: [Int32: Process]) -> LoopList {
    var (before, after) = (ProcessLook(time: 1000), ProcessLook(time: 1100))
    (before.processes, after.processes) = (first, second)
    return LoopList(before, after)
  }

  private func process(_ command: String, _ threads: [Int32: Thread]) -> Process {
    Process(command: command, threads: threads)
  }

  @Test("a program is listed if a thread waited for events at one of two looks")
  func waiting() {
    let idle = process("idle", [1: Thread(running: 5, wait: "epoll")])
    let early = process("early", [2: Thread(running: 5, wait: "poll")])
    let ran = process("early", [2: Thread(running: 55)])
    let reader = process("cat", [3: Thread(running: 5)])
    let list = list([1: idle, 2: early, 3: reader], [1: idle, 2: ran, 3: reader])
    #expect(
      list.programs == [
        .init(process: 2, command: "early", loops: 1, waits: ["poll"], share: 0.5),
        .init(process: 1, command: "idle", loops: 1, waits: ["epoll"], share: 0),
      ]
    )
  }

  @Test("only the CPU time of threads with a loop counts, and each thread is a loop")
  func threads() {
    let before = process(
      "workers",
      [
        1: Thread(running: 0, wait: "epoll"), 2: Thread(running: 0, wait: "epoll"),
        3: Thread(running: 0),
      ]
    )
    let after = process(
      "workers",
      [
        1: Thread(running: 10, wait: "epoll"), 2: Thread(running: 20, wait: "select"),
        3: Thread(running: 100), 4: Thread(running: 90, wait: "epoll"),
      ]
    )
    let program = list([7: before], [7: after]).programs.first
    #expect(program?.loops == 3 && program?.waits == ["epoll", "select"])
    #expect(program?.share == 0.3)
  }

  @Test("the loop of a process with an epoll descriptor that does not wait is held")
  func held() {
    func look(_ running: UInt64, _ hasEpoll: Bool) -> Process {
      Process(command: "held", hasEpoll: hasEpoll, threads: [9: Thread(running: running)])
    }
    let held = list([9: look(0, true)], [9: look(100, true)]).programs
    #expect(held == [.init(process: 9, command: "held", loops: 0, waits: ["held"], share: 1)])
    #expect(list([9: look(0, true)], [9: look(0, true)]).programs.first?.waits == ["held"])
    #expect(list([9: look(0, false)], [9: look(100, false)]).programs.isEmpty)
  }

  @Test("busy programs come first, then epoll before poll, more loops, and newer processes")
  func order() {
    func look(_ wait: String, _ used: UInt64, loops: Int32 = 1) -> Process {
      process(
        "p",
        [Int32: Thread](
          uniqueKeysWithValues: (1...loops).map {
            ($0, Thread(running: $0 == 1 ? used : 0, wait: wait))
          }
        )
      )
    }
    let first: [Int32: Process] = [
      1: look("poll", 0), 2: look("epoll", 0), 3: look("epoll", 0, loops: 2), 4: look("select", 0),
      5: look("epoll", 0),
    ]
    var second = first
    second[4] = look("select", 40)
    #expect(list(first, second).programs.map(\.process) == [4, 3, 5, 2, 1])
  }

  @Test("lines are cut to the width, and the hint names the first process")
  func text() {
    let node = process("node server.js --port 8080", [1: Thread(running: 0, wait: "epoll")])
    let list = list([4711: node, 12: node], [4711: node, 12: node])
    #expect(
      list.lines(most: 1, width: 44, program: "loopbench") == [
        "Programs that wait in an event loop now:",
        "   pid  loops  wait   CPU  program",
        "  4711      1  epoll  0 %  node server.js -…",
        "  and 1 more: loopbench watch --list",
        "To see why one is late: loopbench watch",
        "  --pid 4711",
      ]
    )
  }

  @Test("processes that are not shown are counted in one line, with the reason")
  func notShown() {
    var look = ProcessLook(time: 1)
    (look.ofOthers, look.unreadable, look.refusal) = (1200, 2, "ptrace_scope is 1")
    #expect(
      LoopList(look, look).lines(program: "scripts/loopbench") == [
        "No program of this user waits in an event loop now.",
        "Processes not shown: 1,200 of other users, 2 that may not be read (ptrace_scope is 1)",
        "To start a program and watch it: scripts/loopbench watch -- COMMAND",
      ]
    )
  }

  @Test(
    "a kind of wait is named by its family of calls",
    arguments: [
      ("epoll_wait", "epoll"), ("epoll_pwait2", "epoll"), ("poll", "poll"), ("ppoll", "poll"),
      ("select", "select"), ("pselect6", "select"), ("read", nil),
    ]
  )
  func kinds(name: String, kind: String?) {
    #expect(SystemCall(name: name, arguments: []).waitKind == kind)
  }

  @Test("--list is an option of its own")
  func option() throws {
    #expect(try WatchOptions(["--list"]).isListing)
    #expect(try !WatchOptions(["--", "ls", "--list"]).isListing)
  }
}
