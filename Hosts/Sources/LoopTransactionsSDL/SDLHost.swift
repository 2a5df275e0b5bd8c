private import CSDL
public import LoopTransactions

/// Runs a loop by turns in SDL's event loop.
///
/// SDL waits for no descriptor of others, so a thread of the host's own waits for the
/// loop's, and for its timers, and then pushes an event, which wakes `SDL_WaitEvent`.
/// Turns are made by `serve`, on the thread that takes the events. A post pushes an
/// event itself, and so does what is committed between two turns: it is performed
/// behind the events that wait already. An idle loop costs nothing. Where the host's
/// events are flushed with others, as by a change of scenes, the thread pushes one anew
/// within 0.1 s.
///
/// Belongs to the loop's thread, which takes SDL's events. While a callback of the loop
/// takes events itself, as a dialog may, this one rests. The loop keeps the host until
/// `cancel()`, or until it is closed; both before `SDL_Quit`, and neither in an event
/// watch or a filter: SDL holds a lock while it calls those, and the threads that an
/// end waits for may want it. A watch sees the host's events on any thread; a filter
/// must not drop them. With a `MainQueueBridge` on the loop, `@MainActor` code and
/// `DispatchQueue.main` run in SDL's loop, too.
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
/// After Electron, where such a thread serves Node's loop.
public final class SDLHost {
  /// Why there is no host.
  ///
  /// A value: make and read it on any thread.
  public enum SetupError: Error, Hashable, Sendable {
    /// SDL has no numbers for events left.
    case noEventType
    /// SDL could start no thread.
    case noThread
    /// The system is out of descriptors.
    case system(UVError)
  }

  private let events: HostEvents
  private let commands: WaiterCommands
  private var embedding: Embedding?
  private var waiter: LoopWaiter?
  // Whether an event of our own is on its way, as far as we know.
  private var isQueued = false
  private var isTurning = false

  /// Lets SDL's event loop run `loop`, from now on.
  ///
  /// Call on the loop, while it is not running, after `SDL_Init`.
  ///
  /// - Throws: `SetupError`, whose description says what to do.
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

  /// Makes a turn if an event is the host's; whether it was.
  ///
  /// Call on the loop, for each event that SDL hands out.
  ///
  /// - Parameter type: The event's `type`.
  public func serve(_ type: UInt32) -> Bool {
    switch events.kind(of: type) {
    case .waited:
      waiter?.hasPushed()
      // It may come because ours was flushed.
      if isQueued { isQueued = events.isQueued(.changed) }
    case .changed: isQueued = false
    case .posted: break
    case nil: return false
    }
    // Within a callback of the loop: what is due is looked for when that has returned.
    guard !isTurning else { return true }
    isTurning = true
    embedding?.turn()
    isTurning = false
    schedule()
    return true
  }

  /// Stops running the loop, which can be run in another way again.
  ///
  /// Call on the loop, outside of a turn. Cancelling again does nothing.
  public func cancel() { embedding?.cancel() }

  private func ended() {
    embedding = nil
    waiter?.end()
    waiter = nil
    events.flush()
  }

  /// Sees to it that the next turn comes when it is due.
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
  /// What is wrong, and what to do about it.
  public var description: String {
    switch self {
    case .noEventType: "SDLHost: SDL_RegisterEvents has no numbers left; keep one host for good"
    case .noThread: "SDLHost: SDL_CreateThread could start no thread; end some, or see ulimit -u"
    case .system(let error): "\(error)"
    }
  }
}
