import LoopTransactions

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Cases {
  /// Counts the events whose callback is followed by a plain observer before the host
  /// waits. The observer causes the next event, so the program stops only if the observer
  /// is called after each of them.
  func observed() throws {
    let loop = try EventLoop()
    let end = try host.serve(loop)
    let (counts, stop) = (EventCounts(), Stop(host))
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { fatalError("observed: pipe failed: errno \(errno)") }
    let (source, sink) = (ends[0], ends[1])
    let watcher = try loop.watch(source, for: .readable) { [unowned host] _ in
      var byte: UInt8 = 0
      read(source, &byte, 1)
      counts.events += 1
      counts.iteration = MainActor.assumeIsolated { host.iterations }
    }
    loop.addObserver(for: .beforeWaiting) { [unowned host] _ in
      if counts.iteration == MainActor.assumeIsolated({ host.iterations }) { counts.inTime += 1 }
      counts.iteration = nil
      guard counts.caused == counts.events else { return }
      if counts.events == 100 { return stop.now() }
      counts.caused += 1
      write(sink, "x", 1)
    }
    host.run()
    print("events \(counts.events)")
    print("inTime \(counts.inTime)")
    watcher.cancel()
    for descriptor in ends { close(descriptor) }
    end()
    try loop.close()
  }
}

private final class EventCounts: @unchecked Sendable {
  // @unchecked: used on the main thread only, where the loop calls the watcher and the
  // observer.
  var (caused, events, inTime) = (0, 0, 0)
  // The number of times that the host had waited at the last event.
  var iteration: Int?
}
