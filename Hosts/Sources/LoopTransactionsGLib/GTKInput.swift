private import CGLib
internal import LoopTransactions

/// Reports the input that GTK 4 receives to an interactive mode.
///
/// GTK emits the signal "event" of a `GdkSurface` for each event. A hook sees the
/// emissions of all surfaces. Nothing of GTK is linked: its type is found by name
/// once GTK has registered it. Loop thread only.
final class GTKInput {
  private let mode: InteractiveMode
  private var signal: UInt32 = 0
  private var hook: UInt = 0

  init(_ mode: InteractiveMode) { self.mode = mode }

  /// Adds the hook if GTK has made a surface. Called before each wait.
  func follow() {
    guard hook == 0 else { return }
    let type = g_type_from_name("GdkSurface")
    // Only a type that is in use has signals.
    guard type != 0, g_type_class_peek(type) != nil else { return }
    signal = g_signal_lookup("event", type)
    guard signal != 0 else { return }
    // Not retained, because `cancel()` removes the hook.
    hook = g_signal_add_emission_hook(
      signal,
      0,
      eventWasEmitted,
      Unmanaged.passUnretained(self).toOpaque(),
      nil
    )
  }

  /// Removes the hook.
  func cancel() {
    if hook != 0 { g_signal_remove_emission_hook(signal, hook) }
    hook = 0
  }

  fileprivate func received(_ event: UnsafeMutableRawPointer?) {
    if Self.isInput(event) { mode.inputArrived() }
  }

  // Values of GdkEventType: motion, buttons, keys, scrolling, touches, gestures
  // of a touchpad, and the controls of a tablet.
  private static func isInput(_ event: UnsafeMutableRawPointer?) -> Bool {
    switch lt_gdk_event_type(event) {
    // After a layout, GTK repeats the last position of the pointer, with the time
    // 0. An animation would keep the mode on.
    case 1: lt_gdk_event_time(event) != 0
    case 2...5, 15, 17...28: true
    default: false
    }
  }
}

private func eventWasEmitted(
  _ hint: UnsafeMutableRawPointer?,
  _ count: UInt32,
  _ values: UnsafePointer<lt_glib_value>?,
  _ data: UnsafeMutableRawPointer?
) -> Int32 {
  if let data, let values, count > 1 {
    // The surface, then the event.
    Unmanaged<GTKInput>.fromOpaque(data).takeUnretainedValue().received(values[1].pointer)
  }
  // Keeps the hook.
  return 1
}
