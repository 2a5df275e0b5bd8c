// Hands values to a loop, one for each key. The loop takes two per tick.
//
// Prints:
//   row 7 was already queued
//   row 7: 21 degrees
//   row 3: 18 degrees
//   row 5: 25 degrees, drained

import LoopTransactions

struct Reading {
  let row: Int
  let degrees: Int
}

let loop = try EventLoop()
let readings = RunLoopValueQueue<Reading>(
  on: loop,
  exclusiveBy: { $0.row },
  batchSize: 2
) { reading, isDrained in
  print("row \(reading.row): \(reading.degrees) degrees\(isDrained ? ", drained" : "")")
}
readings.enqueue(Reading(row: 7, degrees: 21))
readings.enqueue(Reading(row: 3, degrees: 18))
if case .alreadyQueued = readings.enqueue(Reading(row: 7, degrees: 22)) {
  print("row 7 was already queued")
}
readings.enqueue(Reading(row: 5, degrees: 25))
loop.run()
try loop.close()
