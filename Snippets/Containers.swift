// Parts of a card find the transaction of the card by their container. What is added
// within one tick is one transaction, which nobody has to commit.
//
// Prints:
//   a transaction begins
//   one for all: true
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
print("one for all:", header.transaction === card.transaction)
print("pending:", card.isPending)
loop.run()  // commits it at the end of the tick
try loop.close()
