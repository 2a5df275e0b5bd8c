// Two rows want the same picture: it is decoded once, and both get it.
//
// Prints:
//   under way: 1
//   row 1: pixels of cover.png
//   row 2: pixels of cover.png
//   under way: 0

import Dispatch
import LoopTransactions

let loop = try EventLoop()
let flights = SingleFlight<String, String>()
let bothHaveAsked = DispatchSemaphore(value: 0)

for row in 1...2 {
  let transaction = AsyncTransaction(on: loop)
  transaction.add(flights, for: "cover.png") { _ in
    bothHaveAsked.wait()  // once, for it runs once
    return "pixels of cover.png"
  } completion: { outcome in
    print("row \(row):", outcome.value ?? "nothing")
  }
  transaction.commit()
}
print("under way:", flights.count)
bothHaveAsked.signal()
loop.run()
print("under way:", flights.count)
try loop.close()
