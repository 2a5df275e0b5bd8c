import LoopWatch
import Testing

@Suite("SystemCall")
struct SystemCallTests {
  private let names = [
    0: "read", 7: "poll", 42: "connect", 61: "wait4", 202: "futex", 232: "epoll_wait",
    257: "openat",
  ]

  private func words(_ line: String, children: [String] = []) -> String? {
    let surroundings = CallSurroundings(
      target: {
        [7: "/srv/pipe", 8: "socket:[12]", 10: "socket:[12]", 11: "anon_inode:[eventfd]"][$0]
      },
      children: { children },
      descriptor: { [0x700: 10, 0x704: 11][$0] },
      text: { $0 == 0x500 ? "/srv/file" : nil },
      peer: { $1 == 0x600 ? "10.0.0.5:80" : $0 == 10 && $1 == 0 ? "/srv/socket" : nil }
    )
    return SystemCall(line: line.utf8) { names[$0] }?.words(surroundings)
  }

  @Test("a call is described by its descriptor, its child or its meaning")
  func words() {
    #expect(words("0 0x7 0x1 0x2 0x0 0x0 0x0 0x7ffc 0x7f85") == "read of /srv/pipe")
    #expect(words("0 0x8 0x1 0x2 0x0 0x0 0x0 0x7ffc 0x7f85") == "read of a socket")
    #expect(words("0 0xa 0x600 0x2") == "read of a socket to /srv/socket")
    #expect(words("42 0x8 0x600 0x10") == "connect of a socket to 10.0.0.5:80")
    #expect(words("42 0x8") == "connect of a socket")
    #expect(words("0 0x9 0x1") == "read")
    #expect(words("61 0x10", children: ["sleep"]) == "wait for the child sleep")
    #expect(words("232 0x11") == "wait in a nested loop")
    #expect(words("232 0x11", children: ["sh"]) == "wait for the child sh")
    #expect(words("7 0x700 0x1 0x10") == "poll of a socket to /srv/socket")
    #expect(words("7 0x704 0x1 0x10") == "wait in a nested loop")
    #expect(words("7 0x700 0x2 0x10") == "wait in a nested loop")
    #expect(words("202 0x11") == "a lock or another thread")
    #expect(words("257 0xffffff9c 0x500 0x0") == "openat of /srv/file")
    #expect(words("257 0xffffff9c 0x501 0x0") == "openat")
    #expect(words("999 0x11") == "system call 999")
  }

  @Test("a wait has its descriptor or its place as its source")
  func waitSource() {
    func source(_ line: String) -> WaitSource? {
      let names = [7: "poll", 202: "futex", 281: "epoll_pwait", 426: "io_uring_enter"]
      return SystemCall(line: line.utf8) { names[$0] }.flatMap { call in
        call.registers.last.flatMap(call.waitSource)
      }
    }
    let epoll = "281 0x9 0x7ff0 0x400 0x5 0x0 0x8 0x7ffe 0x7f1200000085\n"
    #expect(source(epoll) == .epoll(descriptor: 9))
    let poll = "7 0x7ff0 0x2 0xffffffff 0x0 0x0 0x0 0x7ffe 0x7f1200000085\n"
    #expect(source(poll) == .poll(site: 0x85))
    // The third argument is the number of completions that it waits for.
    #expect(source("426 0x9 0x0 0x1 0x1 0x0 0x8 0x7ffe 0x85\n") == .poll(site: 0x85))
    #expect(source("426 0x9 0x4 0x0 0x1 0x0 0x8 0x7ffe 0x85\n") == nil)
    #expect(source("202 0x9 0x0 0x0 0x0 0x0 0x0 0x7ffe 0x7f1200000085\n") == nil)
  }

  @Test("a running thread is in no call")
  func running() { #expect(words("running\n") == nil && words("-1 0x7ffc 0x7f85") == nil) }
}
