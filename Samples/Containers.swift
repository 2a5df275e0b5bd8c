// The parts of a card find its transaction through their container. Operations
// added within one tick form one transaction, which is committed automatically.
//
// Prints:
//   a transaction begins
//   the same transaction: true
//   pending: true
//   shows cover
//   shows title
//   the card is complete

import LoopTransactions

let loop = try EventLoop()
let card = TransactionContainer(on: loop, name: "card", collects: true)
let header = TransactionContainer(on: loop, in: card)
card.willBegin = { _ in print("a transaction begins") }
card.didComplete = { _ in print("the card is complete") }

header.transaction.add { _ in
  "cover"
} completion: { outcome in
  print("shows", outcome.value ?? "")
}
card.transaction.add { _ in
  "title"
} completion: { outcome in
  print("shows", outcome.value ?? "")
}
print("the same transaction:", header.transaction === card.transaction)
print("pending:", card.isPending)
loop.run()  // commits it at the end of the tick
try loop.close()
