public import LoopTransactions

/// Runs a loop in turns inside SDL's event loop.
///
/// Each turn is an SDL event. A thread that all hosts of the process share waits
/// for the loop's descriptor and timers, and then pushes the event, which wakes
/// `SDL_WaitEvent`. A post, or a commit made between two turns, pushes the event
/// at once. It is therefore performed after the events that precede it in SDL's
/// queue. `serve` runs the turn, on the thread that handles SDL's events. An idle
/// loop uses no CPU. If the program flushes the event, as a game may when it
/// changes scenes, or if SDL's queue is full, the event is pushed again within
/// 0.1 s.
///
/// The host belongs to the loop's thread, which must also handle SDL's events.
/// While a callback of the loop handles events itself, as a dialog may, the loop
/// makes no turns. Call `cancel()` or close the loop before `SDL_Quit`, but not
/// in an event watch or an event filter. SDL holds a lock while it calls a watch
/// or a filter, and the threads that `cancel()` waits for may need that lock. SDL
/// calls an event watch with the host's event on any thread. A filter must not
/// drop the event. After `SDL_Quit`, posts are refused with
/// `LoopPort.PostError.closed`; if a turn was pending, within 0.1 s. Closing the
/// loop performs the work that was accepted. With a `MainQueueBridge` on the
/// loop, `@MainActor` code and `DispatchQueue.main` also run in SDL's loop.
///
/// ```swift
/// let host = try SDLHost(loop)
/// var event = SDL_Event()
/// while SDL_WaitEvent(&event) != 0 {
///   if host.serve(event.type) { continue }
///   react(to: event)
/// }
/// ```
///
/// An `ExecutorHost` whose executor is SDL's event queue. Available on Linux.
/// Elsewhere creating a host throws `SetupError.system` with `ENOSYS`.
public final class SDLHost {
  /// The reason why a host could not be created.
  public enum SetupError: Error, Hashable, Sendable {
    /// SDL has no event types left.
    case noEventType
    /// The system refused a descriptor or a thread.
    case system(UVError)
  }

  private let events: HostEvents
  private let host: ExecutorHost
  private let mode: InteractiveMode?

  /// Starts to run `loop` inside SDL's event loop.
  ///
  /// Call on the loop, while it is not running, after `SDL_Init`.
  ///
  /// - Parameters:
  ///   - loop: The loop to run.
  ///   - interactiveSchedulers: Schedulers whose interactive mode is on from an
  ///     event of the keyboard, the mouse or a touch screen that `serve` sees,
  ///     until 0.5 s have passed without one. Joysticks do not count, because
  ///     some of them report noise.
  /// - Throws: `SetupError`, whose description says how to fix the problem.
  /// - Precondition: The loop is not embedded already.
  public init(
    _ loop: EventLoop,
    interactiveSchedulers: [OperationScheduler] = []
  ) throws(SetupError) {
    guard let events = HostEvents() else { throw .noEventType }
    let execute: HostExecutor.Execute = { turn in events.push(turn) }
    // SDL's queue has one order, so a turn that is pushed again lets all other
    // events come first.
    let executor = HostExecutor(
      execute: execute,
      executeLater: execute,
      holdsWork: { events.areQueued }
    )
    self.events = events
    do throws(UVError) { host = try ExecutorHost(loop, on: executor) } catch {
      throw .system(error)
    }
    mode =
      interactiveSchedulers.isEmpty ? nil : InteractiveMode(of: interactiveSchedulers, on: loop)
  }

  /// Runs a turn if an event belongs to the host.
  ///
  /// Call on the loop, for each event received from SDL.
  ///
  /// - Parameter type: The event's `type`.
  /// - Returns: Whether the event belonged to the host.
  public func serve(_ type: UInt32) -> Bool {
    guard events.own(type) else {
      if let mode, HostEvents.isInput(type) { mode.inputArrived() }
      return false
    }
    events.run()
    return true
  }

  /// Stops running the loop. Afterwards the loop can be run or embedded again.
  ///
  /// Call on the loop, outside of a turn. Cancelling again does nothing.
  public func cancel() {
    mode?.cancel()
    host.cancel()
    events.flush()
  }
}

extension SDLHost.SetupError: CustomStringConvertible {
  /// The failure and how to fix it.
  public var description: String {
    switch self {
    case .noEventType: "SDLHost: SDL_RegisterEvents has no event types left; reuse one host"
    case .system(let error): "\(error)"
    }
  }
}
