// A thread with a loop of its own, and actors that are spread over a group of
// loops. A group has one loop per CPU unless a count is given.
//
// Prints:
//   on the loop's thread: true
//   lobby: 2 messages
//   attic: 1 messages
//   refused: closed

import LoopTransactions

// snippet.actor
actor Room {
  nonisolated let port: LoopPort
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    port.asUnownedSerialExecutor()
  }
  private var messages = 0

  init(on port: LoopPort) { self.port = port }

  func say(_ text: String) -> Int {
    messages += 1
    return messages
  }
}
// snippet.end

// snippet.thread
func runThread() async throws {
  let thread = try LoopThread(name: "sensors")
  let isCurrent = try await thread.run { $0 === EventLoop.current }
  print("on the loop's thread:", isCurrent)
  thread.stop()
  try await thread.join()
}
// snippet.end

// snippet.group
func runGroup() async throws {
  let group = try LoopGroup(name: "rooms", count: 2)
  try await group.forEach { loop in
    loop.budget = .init(time: .milliseconds(1))
  }
  let (lobby, attic) = (group.loop(for: "lobby"), group.loop(for: "attic"))
  let (first, second) = (Room(on: lobby.port), Room(on: attic.port))
  _ = await first.say("hello")
  print("lobby: \(await first.say("anyone here?")) messages")
  print("attic: \(await second.say("hello")) messages")
  // Each loop performs its work and closes.
  try await group.shutDown()
  do { try await lobby.run { _ in } } catch { print("refused:", error) }
}
// snippet.end

try await runThread()
try await runGroup()
