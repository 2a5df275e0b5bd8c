private import CGLib
public import LoopTransactions

/// Runs a loop by turns in a loop of GLib: that of GTK, GStreamer, or a service.
///
/// What is committed in a callback of GLib is performed before its loop waits; events,
/// posts and timers of the loop are a source of GLib's. A turn is one dispatch, so a
/// busy loop leaves room for other sources of its priority, and for more urgent ones.
/// An idle loop costs nothing.
///
/// Belongs to the loop's thread, which runs the context. While a callback of the loop
/// runs GLib's loop anew, as a dialog may, this one rests. The loop keeps the host
/// until `cancel()`, or until it is closed. With a `MainQueueBridge` on the loop,
/// `@MainActor` code and `DispatchQueue.main` run in GLib's loop, too.
///
/// ```swift
/// let loop = try EventLoop()
/// _ = try MainQueueBridge(on: loop)
/// let host = GLibHost(loop)
/// g_application_run(application, 0, nil)
/// ```
///
/// After node-gtk's source, which does the same for Node.
public final class GLibHost {
  private let context: OpaquePointer?
  private var embedding: Embedding?
  private var source: UnsafeMutablePointer<lt_host_source>?
  private var tag: UnsafeMutableRawPointer?
  // Whether GLib will wait for what it was told last.
  private var isWaiting = false

  /// Lets a loop of GLib run `loop`, from now on.
  ///
  /// Call on the loop, while it is not running.
  ///
  /// - Parameter context: The `GMainContext` of GLib's loop, the default one if nil. It
  ///   has to outlive the host.
  /// - Parameter priority: Of the source. 0 is GLib's default; GTK draws at 120, so
  ///   what is less than that is performed before it draws.
  /// - Precondition: The loop is not embedded already.
  public init(_ loop: EventLoop, context: OpaquePointer? = nil, priority: Int = 0) {
    self.context = context
    let address = UInt(bitPattern: context)
    let embedding = Embedding(
      loop,
      onChange: changed,
      onEnd: ended,
      wake: {
        // From any thread. It has GLib ask anew.
        g_main_context_wakeup(OpaquePointer(bitPattern: address))
        return true
      }
    )
    self.embedding = embedding
    attach(embedding.pollDescriptor, Int32(clamping: priority))
  }

  /// Stops running the loop, which can be run in another way again.
  ///
  /// Call on the loop, outside of a turn. Cancelling again does nothing.
  public func cancel() { embedding?.cancel() }

  private func attach(_ descriptor: Int32, _ priority: Int32) {
    let size = UInt32(MemoryLayout<lt_host_source>.size)
    guard let new = g_source_new(&functions, size) else {
      preconditionFailure("GLibHost: g_source_new ends the process when memory is out")
    }
    new.withMemoryRebound(to: lt_host_source.self, capacity: 1) { own in
      // Not retained: `ended()` comes before this goes.
      own.pointee.host = Unmanaged.passUnretained(self).toOpaque()
      source = own
    }
    g_source_set_name(new, "LoopTransactions")
    g_source_set_priority(new, priority)
    // Never changed: that would wake the context each time.
    tag = g_source_add_unix_fd(new, descriptor, lt_glib_readable)
    _ = g_source_attach(new, context)
  }

  private func ended() {
    embedding = nil
    guard let source else { return }
    self.source = nil
    source.withMemoryRebound(to: lt_glib_source.self, capacity: 1) {
      g_source_destroy($0)
      g_source_unref($0)
    }
  }
}

extension GLibHost {
  /// How long GLib may wait, in milliseconds: 0 if the loop is due, -1 without end.
  fileprivate func timeout() -> Int32 {
    isWaiting = true
    guard let timeout = embedding?.nextTimeout else { return -1 }
    return timeout.milliseconds
  }

  /// Whether the loop is due, now that GLib has waited.
  fileprivate func isDue(_ source: UnsafeMutablePointer<lt_glib_source>) -> Bool {
    isWaiting = false
    guard let embedding, let tag else { return false }
    return g_source_query_unix_fd(source, tag) != 0 || embedding.nextTimeout == .zero
  }

  fileprivate func turn() { embedding?.turn() }

  /// GLib asks before it waits. Only the `prepare` of another source can come between.
  private func changed() { if isWaiting { g_main_context_wakeup(context) } }
}

// nonisolated(unsafe): GLib reads it only.
private nonisolated(unsafe) var functions = lt_glib_functions(
  prepare: prepare,
  check: check,
  dispatch: dispatch,
  finalize: nil,
  closure_callback: nil,
  closure_marshal: nil
)

private func prepare(
  _ source: UnsafeMutablePointer<lt_glib_source>?,
  _ timeout: UnsafeMutablePointer<Int32>?
) -> Int32 {
  let milliseconds = host(of: source)?.timeout() ?? -1
  timeout?.pointee = milliseconds
  return milliseconds == 0 ? 1 : 0
}

private func check(_ source: UnsafeMutablePointer<lt_glib_source>?) -> Int32 {
  guard let source, let host = host(of: source) else { return 0 }
  return host.isDue(source) ? 1 : 0
}

private func dispatch(
  _ source: UnsafeMutablePointer<lt_glib_source>?,
  _ callback: lt_glib_callback?,
  _ data: UnsafeMutableRawPointer?
) -> Int32 {
  host(of: source)?.turn()
  // G_SOURCE_CONTINUE
  return 1
}

private func host(of source: UnsafeMutablePointer<lt_glib_source>?) -> GLibHost? {
  source?.withMemoryRebound(to: lt_host_source.self, capacity: 1) { source in
    source.pointee.host.map { Unmanaged<GLibHost>.fromOpaque($0).takeUnretainedValue() }
  }
}

extension Duration {
  /// Rounded up: early, the host would only ask again.
  fileprivate var milliseconds: Int32 {
    let (seconds, attoseconds) = components
    let part = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return Int32(clamping: seconds.multipliedReportingOverflow(by: 1000).partialValue + part)
  }
}
