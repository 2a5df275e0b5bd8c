// A release queue gives up its objects a batch per tick, so that a large release
// never delays the loop. When the system is short of memory, it releases them
// all at once.
//
// Prints:
//   2 bitmaps left
//   0 bitmaps left

import LoopTransactions

final class Bitmap {}

let loop = try EventLoop()
// snippet.pressure
let queue = RunLoopQueue<Bitmap>(on: loop, handler: nil)
do {
  try loop.onMemoryPressure { queue.flush() }
} catch {
  // The kernel does not measure memory pressure, or denies it. `error`
  // names the file.
}
// snippet.end
for _ in 0..<3 { queue.enqueue(Bitmap()) }
loop.run(.noWait)
print(queue.count, "bitmaps left")
loop.run()  // does not wait for memory pressure
print(queue.count, "bitmaps left")
try loop.close()
