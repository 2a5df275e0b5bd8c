// A producer that is faster than its loop waits for it: a queue of 100 values
// refuses the next one, and the producer tries again after a tick.
//
// Prints:
//   delivered 10000 values in order: true
//   still waiting: 0

import LoopTransactions

let loop = try EventLoop()
let port = loop.port
loop.waitsForPosts = true
var delivered: [Int] = []
// snippet.queue
let values = RunLoopValueQueue<Int>(
  on: loop,
  batchSize: .unlimited,  // limited by the budget
  capacity: QueueCapacity(100, whenFull: .refuse)
) { value, _ in
  delivered.append(value)
}
// snippet.end
// snippet.producer
let producer = try LoopThread(name: "producer")
try producer.port.post {
  for value in 1...10_000 {
    while case .refused = values.enqueue(value) {
      // Blocks until a later tick of the loop, which also takes values.
      try? port.postAndWait {}
    }
  }
  port.stop()
}
// snippet.end
loop.run()
producer.stop()
try producer.join()
try loop.close()  // delivers the last values
print("delivered 10000 values in order:", delivered == Array(1...10_000))
print("still waiting:", values.count)
