// Records a trace of a loop and a scheduler, for Perfetto.

import LoopTransactions

let loop = try EventLoop()

// snippet.trace
let trace = try LoopTrace()
let transaction = AsyncTransaction(on: loop, name: "pictures")
transaction.add("decode") { _ in
  LoopTrace.mark("decoding")
}
transaction.commit()
loop.run()
trace.stop()
try trace.write(to: "trace.json")
// snippet.end

try loop.close()
