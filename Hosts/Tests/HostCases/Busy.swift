import Dispatch
import LoopTransactions

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Cases {
  /// Prints how many turns a busy loop with a timer runs before a call of the host
  /// is performed. The call is made after the loop has been busy for a second.
  func busy() throws {
    let loop = try EventLoop()
    let end = try host.serve(loop)
    let (port, call, stop) = (loop.port, host.call, Stop(host))
    loop.addObserver(for: .beforeWaiting) { _ in try? port.post {} }
    let first = loop.now.advanced(by: .milliseconds(1))
    let timer = try loop.addPreciseTimer(at: first, every: .milliseconds(1)) { _ in }
    Thread.start {
      let done = DispatchSemaphore(value: 0)
      usleep(1_000_000)
      var waits: [UInt64] = []
      for _ in 0..<101 {
        let before = port.metrics.ticks
        call { done.signal() }
        done.wait()
        waits.append(port.metrics.ticks - before)
        usleep(100)
      }
      print("turns \(waits.sorted()[50])")
      call { stop.now() }
    }
    host.run()
    timer.cancel()
    end()
    try loop.close()
  }
}
