import LoopTransactions

// What a program with an asynchronous main is told, before and after its first
// suspension. In a synchronous function: called directly, it does not compile.
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
