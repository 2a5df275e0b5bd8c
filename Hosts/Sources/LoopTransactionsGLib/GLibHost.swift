private import CGLibHost
public import LoopTransactions

/// Runs a loop in turns inside a GLib main loop, such as GTK's or GStreamer's.
///
/// Commits made in a GLib callback are performed before GLib's loop waits. All of the
/// loop's events, posts and timers share one GLib source. Each dispatch of the source
/// runs one turn, so a busy loop does not starve other sources of the same or a higher
/// priority. An idle loop uses no CPU.
///
/// The host belongs to the loop's thread, which must also run the `GMainContext`. While a
/// callback of this loop runs GLib's loop recursively, as a dialog may, this loop makes
/// no turns. The loop retains the host until `cancel()` or until the loop is closed. With
/// a `MainQueueBridge` on the loop, `@MainActor` code and `DispatchQueue.main` also run
/// in GLib's loop.
///
/// ```swift
/// let loop = try EventLoop()
/// // Runs @MainActor code and the blocks of DispatchQueue.main, too.
/// let bridge = try MainQueueBridge(on: loop)
/// let host = GLibHost(loop)
/// ```
///
/// Then run GLib's loop, for example with `g_main_loop_run` or `g_application_run`.
///
/// Modelled on node-gtk, which runs Node's loop inside GLib's loop.
public final class GLibHost {
  private let context: OpaquePointer?
  private var embedding: Embedding?
  private var source: OpaquePointer?
  private let mode: InteractiveMode?
  private let input: GTKInput?
  // Whether GLib may be about to wait with the timeout that `prepare` returned.
  private var isWaiting = false

  /// Starts to run `loop` inside a GLib main loop.
  ///
  /// Call on the loop, while it is not running.
  ///
  /// - Parameters:
  ///   - loop: The loop to run.
  ///   - context: The `GMainContext` of GLib's loop. `nil` is the default context.
  ///     The context must outlive the host.
  ///   - priority: The priority of the source. 0 is GLib's default. GTK draws at
  ///     120, so with a lower number transactions are performed before GTK draws.
  ///   - interactiveSchedulers: Schedulers whose interactive mode is on from an
  ///     event of the keyboard, the pointer or a touch screen that GTK 4 receives,
  ///     until 0.5 s have passed without one. A program without GTK 4 calls
  ///     `inputArrived()`.
  /// - Precondition: The loop is not embedded already.
  public init(
    _ loop: EventLoop,
    context: OpaquePointer? = nil,
    priority: Int = 0,
    interactiveSchedulers: [OperationScheduler] = []
  ) {
    self.context = context
    mode =
      interactiveSchedulers.isEmpty ? nil : InteractiveMode(of: interactiveSchedulers, on: loop)
    input = mode.map(GTKInput.init)
    let address = UInt(bitPattern: context)
    let embedding = Embedding(
      loop,
      onChange: changed,
      onEnd: ended,
      wake: {
        // Call from any thread. GLib then calls `prepare` again.
        lt_glib_wake(UnsafeMutableRawPointer(bitPattern: address))
        return true
      }
    )
    self.embedding = embedding
    // The source does not retain the host, because `ended()` runs before the host is
    // released.
    source = lt_glib_source_attach(
      UnsafeMutableRawPointer(context),
      Int32(clamping: priority),
      embedding.pollDescriptor,
      lt_glib_host(timeout: hostTimeout, is_due: hostIsDue, turn: hostTurn),
      Unmanaged.passUnretained(self).toOpaque()
    )
  }

  /// Stops running the loop. Afterwards the loop can be run or embedded again.
  ///
  /// Call on the loop, outside of a turn. Cancelling again does nothing.
  public func cancel() { embedding?.cancel() }

  /// Turns on the interactive mode of the schedulers that the host was created
  /// with, for 0.5 s from now.
  ///
  /// Call on the loop when a user gives input. GTK 4's input needs no call.
  public func inputArrived() { mode?.inputArrived() }

  private func ended() {
    embedding = nil
    input?.cancel()
    mode?.cancel()
    guard let source else { return }
    self.source = nil
    lt_glib_source_destroy(source)
  }
}

extension GLibHost {
  /// Returns how long GLib may wait, in milliseconds: 0 if the loop is due, -1 for no limit.
  fileprivate func timeout() -> Int32 {
    isWaiting = true
    input?.follow()
    guard let timeout = embedding?.nextTimeout else { return -1 }
    return timeout.milliseconds
  }

  /// Returns whether the loop is due. Called after GLib has waited.
  fileprivate func isDue(_ isReadable: Bool) -> Bool {
    isWaiting = false
    guard let embedding else { return false }
    return isReadable || embedding.nextTimeout == .zero
  }

  fileprivate func turn() { embedding?.turn() }

  /// Wakes GLib if it has called `prepare`, because the timeout has changed since then.
  /// This happens if the `prepare` function of another source commits to this loop.
  private func changed() { if isWaiting { lt_glib_wake(UnsafeMutableRawPointer(context)) } }
}

// Functions of `lt_glib_host`.

private func hostTimeout(_ host: UnsafeMutableRawPointer?) -> Int32 {
  glibHost(host)?.timeout() ?? -1
}

private func hostIsDue(_ host: UnsafeMutableRawPointer?, _ isReadable: Int32) -> Int32 {
  glibHost(host)?.isDue(isReadable != 0) == true ? 1 : 0
}

private func hostTurn(_ host: UnsafeMutableRawPointer?) { glibHost(host)?.turn() }

private func glibHost(_ host: UnsafeMutableRawPointer?) -> GLibHost? {
  host.map { Unmanaged<GLibHost>.fromOpaque($0).takeUnretainedValue() }
}

extension Duration {
  /// The duration in milliseconds. It is rounded up, because a host that wakes too
  /// early finds nothing to do.
  fileprivate var milliseconds: Int32 {
    let (seconds, attoseconds) = components
    let part = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return Int32(clamping: seconds.multipliedReportingOverflow(by: 1000).partialValue + part)
  }
}
