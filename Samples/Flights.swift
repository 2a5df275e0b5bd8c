// Two rows request the same picture. It is decoded once, and both rows receive
// it.
//
// Prints:
//   in flight: 1
//   row 1: pixels of cover.png
//   row 2: pixels of cover.png
//   in flight: 0

import Dispatch
import LoopTransactions

let loop = try EventLoop()
// snippet.flights
let flights = SingleFlight<String, String>()
let bothRequested = DispatchSemaphore(value: 0)

for row in 1...2 {
  let transaction = AsyncTransaction(on: loop)
  transaction.add(flights, for: "cover.png") { _ in
    bothRequested.wait()  // this closure runs only once
    return "pixels of cover.png"
  } completion: { outcome in
    print("row \(row):", outcome.value ?? "nothing")
  }
  transaction.commit()
}
// snippet.end
print("in flight:", flights.count)
bothRequested.signal()
loop.run()
print("in flight:", flights.count)
try loop.close()
