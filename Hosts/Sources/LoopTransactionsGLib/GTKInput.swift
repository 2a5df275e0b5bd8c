private import CGLibHost
internal import LoopTransactions

/// Reports the input that GTK 4 receives to an interactive mode.
///
/// GTK emits the signal "event" of a `GdkSurface` for each event. A hook sees the
/// emissions of all surfaces. Nothing of GTK is linked: its type is found by name
/// once GTK has registered it. Loop thread only.
final class GTKInput {
  private let mode: InteractiveMode
  private var hook: OpaquePointer?

  init(_ mode: InteractiveMode) { self.mode = mode }

  /// Adds the hook if GTK has made a surface. Called before each wait.
  func follow() {
    guard hook == nil else { return }
    // Not retained, because `cancel()` removes the hook.
    hook = lt_gtk_hook_add(eventArrived, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Removes the hook.
  func cancel() {
    if let hook { lt_gtk_hook_remove(hook) }
    hook = nil
  }

  fileprivate func received(_ type: Int32, at time: UInt32) {
    if Self.isInput(type, time) { mode.inputArrived() }
  }

  // Values of GdkEventType: motion, buttons, keys, scrolling, touches, gestures
  // of a touchpad, and the controls of a tablet.
  private static func isInput(_ type: Int32, _ time: UInt32) -> Bool {
    switch type {
    // After a layout, GTK repeats the last position of the pointer, with the time
    // 0. An animation would keep the mode on.
    case 1: time != 0
    case 2...5, 15, 17...28: true
    default: false
    }
  }
}

private func eventArrived(_ target: UnsafeMutableRawPointer?, _ type: Int32, _ time: UInt32) {
  guard let target else { return }
  Unmanaged<GTKInput>.fromOpaque(target).takeUnretainedValue().received(type, at: time)
}
