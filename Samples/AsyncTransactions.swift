// Parts that are made at different times appear together. After the last
// operation has ended, the completions run on the loop in the order added, each
// with its outcome.
//
// Prints:
//   committed
//   cover: value("a picture of 3 bytes")
//   title: failed(AsyncTransactions.NoText())
//   badge: cancelled
//   complete, on the loop: true

import LoopTransactions

struct NoText: Error {}

let loop = try EventLoop()
// snippet.card
let transaction = AsyncTransaction(on: loop, name: "card")
transaction.add("cover", priority: .high) { _ in
  "a picture of \([1, 2, 3].count) bytes"
} completion: { outcome in
  print("cover:", outcome)
}
transaction.add("title") { _ -> String in
  throw NoText()
} completion: { outcome in
  print("title:", outcome)
}
let badge = transaction.add("badge") { operation in
  "drawn, unless \(operation.isCancelled)"
} completion: { outcome in
  print("badge:", outcome)
}
badge.cancel()
transaction.whenComplete { _ in
  print("complete, on the loop:", EventLoop.current != nil)
}
transaction.commit()
// snippet.end
print("committed")
loop.run()  // keeps running until the committed transaction is complete
try loop.close()
