// A watcher reads from a pipe until the other end is closed.
//
// Prints:
//   5 bytes
//   the pipe is closed

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif
import LoopTransactions

var ends: [Int32] = [0, 0]
guard pipe(&ends) == 0 else { fatalError("the system is out of descriptors") }
let loop = try EventLoop()
let source = ends[0]

// snippet.watch
var watcher: DescriptorWatcher?
watcher = try loop.watch(source, for: .readable) { _ in
  var bytes = [UInt8](repeating: 0, count: 64)
  let count = read(source, &bytes, bytes.count)
  guard count <= 0 else { return print(count, "bytes") }
  print("the pipe is closed")
  watcher?.cancel()
  close(source)
}
// snippet.end
write(ends[1], "hello", 5)
close(ends[1])
loop.run()  // returns when nothing is watched any more
try loop.close()
