// Another thread posts closures to a loop that waits for posts, and stops it. A
// closed loop refuses posts.
//
// Prints:
//   first, on the loop: true
//   second, on the loop: true
//   refused: closed

import Dispatch
import LoopTransactions

let loop = try EventLoop()
let port = loop.port
loop.waitsForPosts = true
DispatchQueue.global().async {
  for word in ["first", "second"] {
    try? port.post { print("\(word), on the loop:", EventLoop.current != nil) }
  }
  port.stop()
}
loop.run()
try loop.close()
do throws(LoopPort.PostError) {
  try port.post { print("never") }
} catch {
  print("refused:", error)
}
