// Decodes a picture on a worker and shows it on the loop.
//
// Prints:
//   shows the pixels of cover.png

import LoopTransactions

@Sendable func decode(_ file: String) -> String { "the pixels of \(file)" }

func show(_ outcome: AsyncTransaction.Outcome<String>) { print("shows", outcome.value ?? "") }

let (loop, file) = (try EventLoop(), "cover.png")

// snippet.work
let scheduler = OperationScheduler("pictures")
let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
let cover = transaction.add(
  "cover",
  priority: .low,
  { _ in decode(file) },
  completion: show
)
transaction.commit()
cover.setPriority(.interactive)  // it scrolled into view; or cover.cancel()
// snippet.end

loop.run()
try loop.close()
