import LoopTransactions

// Prints the error that `EventLoop.runMain` throws in a program whose main is
// asynchronous, before and after the first suspension. The call is in a
// synchronous function, because a direct call from an async function does not
// compile.
@main
enum AsyncMain {
  static func main() async {
    refused("before")
    await Task.yield()
    refused("after")
    await Task.detached { refused("task") }.value
  }
}

private func refused(_ when: String) {
  do {
    try EventLoop.runMain { $0.stop() }
    print(when, "ran")
  } catch {
    print(when, error)
  }
}
