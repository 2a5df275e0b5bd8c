// Carries an object that is not Sendable through Sendable closures.
//
// Prints:
//   from another thread, on the loop

import Dispatch
import LoopTransactions

final class Log { var lines: [String] = [] }

let loop = try EventLoop()
let port = loop.port
loop.waitsForPosts = true
// snippet.bound
let log = LoopBound(Log(), on: loop)
DispatchQueue.global().async {
  try? port.post {
    log.withValue { $0.lines.append("from another thread, on the loop") }
  }
  port.stop()
}
// snippet.end
loop.run()
print(log.withValue { $0.lines.joined(separator: ", ") })
try loop.close()
