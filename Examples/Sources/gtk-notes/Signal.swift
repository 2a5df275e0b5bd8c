import CGTK

/// A handler of a signal that brings nothing but its sender.
typealias SignalHandler =
  @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void

/// A handler of a key that was pressed: its symbol, code and modifiers; whether it was
/// served.
typealias KeyHandler =
  @convention(c) (UnsafeMutableRawPointer?, UInt32, UInt32, UInt32, UnsafeMutableRawPointer?) ->
  Int32

/// Calls `handler` with `data` when `sender` emits `signal`.
@MainActor
func connectSignal(
  _ sender: OpaquePointer,
  _ signal: String,
  _ handler: SignalHandler,
  _ data: UnsafeMutableRawPointer
) {
  // GObject calls it with the arguments of the signal, whatever its type says.
  let erased = unsafeBitCast(handler, to: lt_gtk_callback.self)
  g_signal_connect_data(UnsafeMutableRawPointer(sender), signal, erased, data, nil, 0)
}

/// Calls `handler` with `data` when `controller` sees a key.
@MainActor
func connectKeys(
  _ controller: OpaquePointer,
  _ handler: KeyHandler,
  _ data: UnsafeMutableRawPointer
) {
  let erased = unsafeBitCast(handler, to: lt_gtk_callback.self)
  let sender = UnsafeMutableRawPointer(controller)
  g_signal_connect_data(sender, "key-pressed", erased, data, nil, 0)
}
