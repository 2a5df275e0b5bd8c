// Limits of a loop's memory: elements of a queue, and posts of other threads.
//
// Prints:
//   dropped frame 1
//   shows frame 2
//   shows frame 3
//   refused: full

import LoopTransactions

final class Frame: Sendable {
  let number: Int

  init(_ number: Int) { self.number = number }
}

let loop = try EventLoop()

// snippet.queue
let frames = RunLoopQueue<Frame>(
  on: loop,
  capacity: QueueCapacity(2, whenFull: .dropOldest)
) { frame, _ in
  print("shows frame", frame.number)
}
for number in 1...3 {
  if case .dropped(let frame) = frames.enqueue(Frame(number)) {
    print("dropped frame", frame?.number ?? 0)
  }
}
// snippet.end
loop.run()

// snippet.posts
loop.postCapacity = 1000  // of the posts that wait
let port = loop.port
let producer = try LoopThread(name: "producer")
try producer.port.postAndWait {
  do {
    while true { try port.post {} }
  } catch {
    print("refused:", error)
  }
}
// snippet.end
producer.stop()
try producer.join()
loop.run()
try loop.close()
