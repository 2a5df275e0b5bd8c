// A libuv handle on an event loop, as a library with a libuv adapter would make one.
//
// Prints:
//   the handle was called
//   laid out: by libuv

import CUV
import LoopTransactions

// snippet.callback
/// Belongs to the loop.
final class Label {
  static let layout = Selector<Label>("layout") { label in
    print("laid out:", label.text)
  }
  var text = ""
}

// A function at file scope, because a closure in main-actor code
// checks its executor.
func timerFired(_ timer: UnsafeMutablePointer<uv_timer_t>?) {
  guard let timer, let data = timer.pointee.data,
    let loop = EventLoop.current
  else { return }
  print("the handle was called")
  let label = Unmanaged<Label>.fromOpaque(data).takeUnretainedValue()
  label.text = "by libuv"
  loop.commit(label, Label.layout)  // performed before the loop waits
  timer.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { handle in
    uv_close(handle) { UnsafeMutableRawPointer($0)?.deallocate() }
  }
}
// snippet.end

// snippet.handle
let loop = try EventLoop()
let label = Label()
let timer = UnsafeMutablePointer<uv_timer_t>.allocate(capacity: 1)
uv_timer_init(loop.libuvLoop.assumingMemoryBound(to: uv_loop_t.self), timer)
timer.pointee.data = Unmanaged.passUnretained(label).toOpaque()
uv_timer_start(timer, timerFired, 5, 0)
loop.run()  // returns when no handle is active
try loop.close()
// snippet.end
