import LoopTransactions

/// Traps in a post. If the program has a second argument, a trace of it is written
/// to that file.
@MainActor
func trapped() throws {
  let none: [Int] = []
  try runTraced { print(none[CommandLine.arguments.isEmpty ? 0 : 1]) }
}

/// Overflows the stack in a post, on the main thread.
@MainActor
func overflown() throws {
  try runTraced { print(depth(0)) }
}

/// Overflows the stack in a post, on a thread of its own.
@MainActor
func overflownElsewhere() throws {
  try trace()
  let thread = try LoopThread(name: "overflow")
  try thread.port.postAndWait { print(depth(0)) }
}

@MainActor private var running: LoopTrace?

@MainActor
private func trace() throws {
  guard let path = CommandLine.arguments.dropFirst(2).first else { return }
  running = try LoopTrace()
  try running?.writeOnTrap(to: path)
}

@MainActor
private func runTraced(_ body: @escaping () -> Void) throws {
  try trace()
  let loop = try EventLoop()
  loop.post {
    LoopTrace.mark("before the end")
    body()
  }
  loop.run()
}

/// Calls itself until the stack is full.
@inline(never)
private func depth(_ count: Int) -> Int {
  // The sum keeps the call from becoming a jump.
  count == .max ? 0 : depth(count + 1) + count
}
