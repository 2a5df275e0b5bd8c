import CGTK

/// A handler for a signal without arguments. Receives the sender and the user data.
typealias SignalHandler =
  @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void

/// A handler for a pressed key. Receives the sender, the key's symbol, code and modifiers,
/// and the user data. Returns 1 if it handled the key, and 0 otherwise.
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
  // GObject declares all handlers as `void (*)(void)` and calls each with the arguments
  // of its signal.
  let erased = unsafeBitCast(handler, to: lt_gtk_callback.self)
  g_signal_connect_data(UnsafeMutableRawPointer(sender), signal, erased, data, nil, 0)
}

/// Calls `handler` with `data` when `controller` receives a key press.
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
