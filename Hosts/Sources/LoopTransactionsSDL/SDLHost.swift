private import CSDL
public import LoopTransactions

/// Runs a loop in turns inside SDL's event loop.
///
/// SDL cannot wait for a descriptor. The host therefore has a thread that waits for the
/// loop's descriptor and timers, and then pushes an event, which wakes `SDL_WaitEvent`.
/// `serve` runs the turns, on the thread that handles SDL's events. A post, or a commit
/// made between two turns, also pushes an event. The post or commit is therefore
/// performed after the events that precede it in SDL's queue. An idle loop uses no CPU.
/// If the program flushes the host's events, as a game may when it changes scenes, the
/// thread pushes a new event within 0.1 s.
///
/// The host belongs to the loop's thread, which must also handle SDL's events. While a
/// callback of the loop handles events itself, as a dialog may, the loop makes no turns.
/// The loop retains the host until `cancel()` or until the loop is closed. Call
/// `cancel()` or close the loop before `SDL_Quit`, but not in an event watch or an event
/// filter. SDL holds a lock while it calls a watch or a filter, and the threads that
/// `cancel()` waits for may need that lock. SDL calls an event watch with the host's
/// events on any thread. A filter must not drop the host's events. With a
/// `MainQueueBridge` on the loop, `@MainActor` code and `DispatchQueue.main` also run in
/// SDL's loop.
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
/// Modelled on Electron, which waits for Node's loop on a separate thread.
public final class SDLHost {
  /// The reason why a host could not be created.
  public enum SetupError: Error, Hashable, Sendable {
    /// SDL has no event types left.
    case noEventType
    /// SDL could not create a thread.
    case noThread
    /// The system refused a descriptor.
    case system(UVError)
  }

  private let events: HostEvents
  private let commands: WaiterCommands
  private var embedding: Embedding?
  private var waiter: LoopWaiter?
  // Whether a `changed` event is in SDL's queue, unless the program flushed it.
  private var isQueued = false
  private var isTurning = false

  /// Starts to run `loop` inside SDL's event loop.
  ///
  /// Call on the loop, while it is not running, after `SDL_Init`.
  ///
  /// - Throws: `SetupError`, whose description says how to fix the problem.
  /// - Precondition: The loop is not embedded already.
  public init(_ loop: EventLoop) throws(SetupError) {
    guard let events = HostEvents() else { throw .noEventType }
    do throws(UVError) {
      commands = try WaiterCommands()
    } catch {
      throw .system(error)
    }
    self.events = events
    let embedding = Embedding(
      loop,
      onChange: schedule,
      onEnd: ended,
      wake: { [commands] in
        guard events.push(.posted) else { return false }
        commands.check()
        return true
      }
    )
    self.embedding = embedding
    waiter = LoopWaiter(embedding.pollDescriptor, commands, events)
    guard waiter != nil else {
      embedding.cancel()
      throw .noThread
    }
    schedule()
  }

  /// Runs a turn if an event belongs to the host.
  ///
  /// Call on the loop, for each event received from SDL.
  ///
  /// - Parameter type: The event's `type`.
  /// - Returns: Whether the event belonged to the host.
  public func serve(_ type: UInt32) -> Bool {
    switch events.kind(of: type) {
    case .waited:
      waiter?.hasPushed()
      // The thread may have pushed this event because the `changed` event was
      // flushed.
      if isQueued { isQueued = events.isQueued(.changed) }
    case .changed: isQueued = false
    case .posted: break
    case nil: return false
    }
    // This call comes from a callback of the loop. The outer call schedules the
    // next turn.
    guard !isTurning else { return true }
    isTurning = true
    embedding?.turn()
    isTurning = false
    schedule()
    return true
  }

  /// Stops running the loop. Afterwards the loop can be run or embedded again.
  ///
  /// Call on the loop, outside of a turn. Cancelling again does nothing.
  public func cancel() { embedding?.cancel() }

  private func ended() {
    embedding = nil
    waiter?.end()
    waiter = nil
    events.flush()
  }

  /// Schedules the next turn for when the loop is due.
  private func schedule() {
    guard !isQueued, let embedding, let waiter else { return }
    let timeout = embedding.nextTimeout
    if timeout == .zero, events.push(.changed) {
      isQueued = true
      commands.check()
    } else {
      waiter.wait(atMost: timeout)
    }
  }
}

extension SDLHost.SetupError: CustomStringConvertible {
  /// The failure and how to fix it.
  public var description: String {
    switch self {
    case .noEventType: "SDLHost: SDL_RegisterEvents has no event types left; reuse one host"
    case .noThread: "SDLHost: SDL_CreateThread failed; end some threads or raise ulimit -u"
    case .system(let error): "\(error)"
    }
  }
}
