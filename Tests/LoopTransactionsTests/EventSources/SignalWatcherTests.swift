import CUV
import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("SignalWatcher", .serialized)
struct SignalWatcherTests {
  @Test("every watcher of every loop is called")  // E3
  func several() async {
    await #expect(processExitsWith: .success) {
      try withLoop { first in
        try withLoop { second in
          let trace = Trace()
          for (name, loop) in [("first", first), ("first", first), ("second", second)] {
            try loop.onSignal(SIGUSR2) {
              trace.record(name)
              loop.stop()
            }
          }
          Process.raise(SIGUSR2)
          #expect(first.runInTime() == .stopped)
          #expect(second.runInTime() == .stopped)
          #expect(trace.events == ["first", "first", "second"])
        }
      }
    }
  }

  @Test("the earlier disposition is restored after the last watcher")  // E3
  func restored() async {
    await #expect(processExitsWith: .success) {
      signal(SIGTERM, SIG_IGN)
      try withLoop { loop in
        let trace = Trace()
        let watchers = try (0..<2).map { number in
          try loop.onSignal(SIGTERM) { trace.record("\(number)") }
        }
        watchers[0].cancel()
        #expect(!watchers[0].isActive)
        Process.raise(SIGTERM)
        while trace.events.isEmpty { loop.run(.once) }
        #expect(trace.events == ["1"])
      }
      // Ignored again, also after the loop was closed.
      Process.raise(SIGTERM)
      #expect(!Process.isDefault(SIGTERM))
    }
  }

  @Test("the last cancel() and the last close() restore the disposition before they return")  // E3
  func restoredWhen() async {
    await #expect(processExitsWith: .success) {
      let (first, second) = (try EventLoop(), try EventLoop())
      let watchers = try [first, second].map { try $0.onSignal(SIGUSR2) {} }
      #expect(!Process.isDefault(SIGUSR2))
      watchers[0].cancel()
      #expect(!Process.isDefault(SIGUSR2))
      watchers[1].cancel()
      #expect(Process.isDefault(SIGUSR2))
      for loop in [first, second] { try loop.onSignal(SIGUSR2) {} }
      try first.close()
      #expect(!Process.isDefault(SIGUSR2))
      try second.close()
      #expect(Process.isDefault(SIGUSR2))
    }
  }

  @Test("a signal that arrived before cancel() and was not delivered is dropped")  // E3
  func dropped() async {
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        let watcher = try loop.onSignal(SIGUSR2) { Issue.record("called") }
        Process.raise(SIGUSR2)
        watcher.cancel()
        let trace = Trace()
        let next = try loop.onSignal(SIGUSR2) { trace.record("next") }
        for _ in 0..<3 { loop.run(.noWait) }
        #expect(trace.events == [])
        Process.raise(SIGUSR2)
        while trace.events.isEmpty { loop.run(.once) }
        #expect(trace.events == ["next"])
        next.cancel()
      }
    }
  }

  @Test("a disposition that other code has set meanwhile stays")  // E3
  func replaced() async {
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        let watcher = try loop.onSignal(SIGUSR2) {}
        signal(SIGUSR2, SIG_IGN)
        watcher.cancel()
        #expect(!Process.isDefault(SIGUSR2))
        // Would end the process.
        Process.raise(SIGUSR2)
        signal(SIGUSR2, SIG_IGN)
        let other = try loop.onSignal(SIGUSR2) {}
        signal(SIGUSR2, SIG_DFL)
        other.cancel()
        #expect(Process.isDefault(SIGUSR2))
      }
    }
  }

  @Test("a callback may cancel all watchers of its signal")  // E3
  func cancelsInCallback() async {
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        let trace = Trace()
        var watchers: [SignalWatcher] = []
        for _ in 0..<3 {
          let watcher = try loop.onSignal(SIGUSR2) {
            for watcher in watchers { watcher.cancel() }
            trace.record("default \(Process.isDefault(SIGUSR2))")
          }
          watchers.append(watcher)
        }
        Process.raise(SIGUSR2)
        #expect(loop.runInTime() == .finished)
        #expect(trace.events == ["default true"])
      }
    }
  }

  @Test("another libuv handle keeps a signal after the last watcher, and can leave first")  // E3
  func foreign() async {
    await #expect(processExitsWith: .success) {
      for leavesFirst in [false, true] {
        try withLoop { loop in
          let handle = UnsafeMutablePointer<uv_signal_t>.allocate(capacity: 1)
          let uv = loop.libuvLoop.assumingMemoryBound(to: uv_loop_t.self)
          uv_signal_init(uv, handle)
          uv_signal_start(handle, countSignal, SIGUSR2)
          let watcher = try loop.onSignal(SIGUSR2) {}
          if leavesFirst { uv_signal_stop(handle) }
          watcher.cancel()
          if !leavesFirst {
            Process.raise(SIGUSR2)
            while signals.value == 0 { loop.run(.once) }
          }
          #expect(Process.isDefault(SIGUSR2) == leavesFirst)
          let base = UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self)
          uv_close(base, countSignalsEnd)
          while ends.value == (leavesFirst ? 1 : 0) { loop.run(.noWait) }
          handle.deallocate()
        }
      }
    }
  }

  // libuv writes 16 bytes to a pipe for each handle and signal, and 64 KiB fit.
  @Test("each of 5,000 watchers is called, in a callback as well, and cancelling them is linear")
  func many() async {  // E3
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        var called = 0
        let watchers = try (0..<5000).map { _ in try loop.onSignal(SIGUSR2) { called += 1 } }
        Process.raise(SIGUSR2)
        while called == 0 { loop.run(.once) }
        #expect(called == 5000)
        for watcher in watchers { watcher.cancel() }
        #expect(Process.isDefault(SIGUSR2))
        #expect(loop.run() == .finished)
      }
    }
  }

  @Test("a watcher is not called for a signal that arrived before it, beside one that is")  // E3
  func fromNowOn() async {
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        let trace = Trace()
        try loop.onSignal(SIGUSR2) {
          trace.record("first")
          guard trace.events.count == 1 else { return }
          _ = try? loop.onSignal(SIGUSR2) { trace.record("third") }
        }
        Process.raise(SIGUSR2)
        try loop.onSignal(SIGUSR2) { trace.record("second") }
        while trace.events.isEmpty { loop.run(.once) }
        #expect(trace.events == ["first"])
        Process.raise(SIGUSR2)
        while trace.events.count == 1 { loop.run(.once) }
        #expect(trace.events == ["first", "first", "second", "third"])
      }
    }
  }

  @Test("run() waits for a watcher that keeps the loop alive, and for no other")  // E3
  func keepsLoopAlive() async {
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        let watcher = try loop.onSignal(SIGUSR2) { loop.stop() }
        loop.addTimer(after: .zero) { _ in Process.raise(SIGUSR2) }
        #expect(loop.runInTime() == .stopped)
        watcher.keepsLoopAlive = false
        #expect(loop.run(.noWait) == .finished)
        #expect(watcher.isActive)
        let other = try loop.onSignal(SIGUSR2) {}
        #expect(loop.run(.noWait) == .ticked)
        other.cancel()
        #expect(loop.run(.noWait) == .finished)
        watcher.keepsLoopAlive = true
        #expect(loop.run(.noWait) == .ticked)
      }
    }
  }

  @Test("run() does not wait for a sequence of signals")  // E3
  func sequenceKeepsNoLoopAlive() async {
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        let signals = try loop.signals(SIGUSR2, SIGTERM)
        withExtendedLifetime(signals) { #expect(loop.run(.noWait) == .finished) }
      }
    }
  }

  @Test("a signal that cannot be caught throws")  // E3
  func refused() async {
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        // The last five would happen again whenever the handler returns.
        let faults = [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP]
        for signal in [.min, -1, 0, SIGKILL, SIGSTOP, 32, 65, 1000, .max] + faults {
          let error = UVError(code: UV_EINVAL.rawValue, operation: "EventLoop.onSignal")
          #expect(throws: error) { try loop.onSignal(signal) {} }
          #expect(throws: error) { try loop.signals(SIGUSR2, signal) }
          #expect(Process.isDefault(SIGUSR2))
          #expect("\(error)".hasSuffix("can be caught and reports no fault, such as SIGTERM"))
        }
      }
    }
  }

  @Test("abort() ends the process although SIGABRT is watched")  // E3
  func aborts() async {
    await #expect(processExitsWith: .signal(SIGABRT)) {
      let loop = try EventLoop()
      try loop.onSignal(SIGABRT) {}
      abort()
    }
  }

  @Test("a sequence of signals delivers numbers, and ends when the loop is closed")  // E3
  func sequence() async {
    await #expect(processExitsWith: .success) {
      let (trace, gate) = (Trace(), Gate())
      try withLoop { loop in
        let port = loop.awaitedPort
        let signals = try loop.signals(SIGUSR2, SIGTERM)
        Task.detached(executorPreference: ownThreads) {
          for await signal in signals {
            trace.record("\(signal == SIGTERM)")
            if signal == SIGTERM { port.stop() } else { Process.raise(SIGTERM) }
          }
          gate.open()
        }
        Process.raise(SIGUSR2)
        #expect(loop.runInTime() == .stopped)
      }
      #expect(gate.waitInTime())
      #expect(trace.events == ["false", "true"])
    }
  }

  @Test("a sequence keeps the latest 16 signals while its task is busy")  // E3
  func sequenceKeeps() async {
    await #expect(processExitsWith: .success) {
      let (trace, gate) = (Trace(), Gate())
      try withLoop { loop in
        let signals = try loop.signals(SIGUSR2, SIGTERM)
        // Otherwise a run makes no tick.
        loop.addTimer(after: .seconds(3600)) { _ in }
        for number in 0..<20 {
          Process.raise(number < 5 ? SIGTERM : SIGUSR2)
          loop.run(.noWait)
        }
        Task.detached(executorPreference: ownThreads) {
          for await signal in signals { trace.record("\(signal == SIGTERM)") }
          gate.open()
        }
      }
      #expect(gate.waitInTime())
      #expect(trace.events == ["true"] + Array(repeating: "false", count: 15))
    }
  }

  @Test("a sequence of signals that is dropped, or whose task is cancelled, watches no more")  // E3
  func sequenceEnds() async {
    await #expect(processExitsWith: .success) {
      try withSteppedLoop { stepped in
        let (loop, port) = (stepped.loop, stepped.loop.awaitedPort)
        do { _ = try loop.signals(SIGUSR2) }
        loop.step()
        #expect(Process.isDefault(SIGUSR2))
        let signals = try loop.signals(SIGUSR2)
        let task = Task(executorPreference: port) { for await _ in signals {} }
        for _ in 0..<5 { loop.step() }
        #expect(!Process.isDefault(SIGUSR2))
        task.cancel()
        for _ in 0..<5 { loop.step() }
        #expect(Process.isDefault(SIGUSR2))
      }
    }
  }
}

private let signals = Tally()
private let ends = Tally()

private func countSignal(_ handle: UnsafeMutablePointer<uv_signal_t>?, _ signal: Int32) {
  signals.increment()
}

private func countSignalsEnd(_ handle: UnsafeMutablePointer<uv_handle_t>?) { ends.increment() }
