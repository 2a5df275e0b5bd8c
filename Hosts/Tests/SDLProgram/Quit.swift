import Dispatch
import LoopTransactions
import LoopTransactionsCSDL

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension SDL {
  /// Calls SDL_Quit while the loop is hosted, and posts from another thread until a post
  /// is refused. Then closes the loop.
  ///
  /// - Parameter isPending: Whether a turn is pending when SDL quits. Its event is lost.
  func quit(isPending: Bool) throws {
    // Kills the process if no post is refused.
    alarm(20)
    let loop = try EventLoop()
    _ = try serve(loop)
    pollOnce()
    let (port, accepted, performed) = (loop.port, Locked(0), Locked(0))
    let post: @Sendable () -> Bool = {
      do {
        try port.post { performed.withLock { $0 += 1 } }
        accepted.withLock { $0 += 1 }
        return true
      } catch {
        print(error)
        return false
      }
    }
    beside { _ = isPending && post() }
    SDL_Quit()
    beside { while post() { usleep(1000) } }
    let count = accepted.withLock { $0 }
    print("accepted \(!isPending || count > 0)")
    try loop.close()
    print("performed \(performed.withLock { $0 } == count)")
  }

  private func beside(_ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    DispatchQueue(label: "beside").async {
      body()
      done.signal()
    }
    done.wait()
  }
}
