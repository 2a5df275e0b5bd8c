import Dispatch
import HostCases
import LoopTransactions
import LoopTransactionsDispatch

/// A host without a thread of its own.
enum ThreadlessHost: String {
  case queue, actor

  /// Measures how late the host's own events are beside each load of the loop.
  func lateness() {
    let done = DispatchSemaphore(value: 0)
    Lateness.reportBudget()
    Task.detached {
      do {
        for load in Load.allCases {
          let lateness = Lateness(load)
          switch self {
          case .queue: try await onQueue(lateness)
          case .actor: try await onActor(lateness)
          }
          lateness.report()
        }
      } catch {
        fatalError("\(error)")
      }
      done.signal()
    }
    done.wait()
  }

  /// A timer of Dispatch makes the events.
  private func onQueue(_ lateness: Lateness) async throws {
    let queue = DispatchQueue(label: "host")
    let host = try await ExecutorHost.make(on: HostExecutor(queue)) { lateness.begin(on: $0) }
    await withCheckedContinuation { isOver in
      let timer = DispatchSource.makeTimerSource(queue: queue)
      var due = LoopClock.now
      timer.setEventHandler {
        guard lateness.note(due) else {
          timer.cancel()
          return isOver.resume()
        }
        due = LoopClock.now.advanced(by: .milliseconds(1))
        timer.schedule(deadline: .now() + .milliseconds(1), leeway: .nanoseconds(0))
      }
      timer.schedule(deadline: .now(), leeway: .nanoseconds(0))
      timer.activate()
    }
    try await host.close()
  }

  /// Another thread calls the actor for each event.
  private func onActor(_ lateness: Lateness) async throws {
    let (isOver, session) = (Locked(false), Session())
    let host = try await ExecutorHost.make(on: HostExecutor(session)) { lateness.begin(on: $0) }
    await withCheckedContinuation { continuation in
      pushEveryMillisecond { pushed in
        Task.detached {
          await session.run {
            if isOver.withLock({ $0 }) || lateness.note(pushed) { return }
            isOver.withLock { $0 = true }
            continuation.resume()
          }
        }
        return !isOver.withLock { $0 }
      }
    }
    try await host.close()
  }
}

private actor Session {
  func run(_ body: @Sendable () -> Void) { body() }
}
