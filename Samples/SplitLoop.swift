// Splits a loop over the workers of a scheduler, from this thread and from a task.
//
// Prints:
//   brightened 1000 pixels
//   brightened them again

import LoopTransactions

let scheduler = OperationScheduler("rows")
nonisolated(unsafe) let pixels = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 1000)
pixels.initialize(repeating: 100)

// snippet.apply
@Sendable func brighten(_ row: Int) {
  for column in 0..<100 { pixels[row * 100 + column] += 10 }
}

scheduler.apply(10, brighten)
// snippet.end
print("brightened", pixels.count { $0 == 110 }, "pixels")

// snippet.task
try await scheduler.run { _ in scheduler.apply(10, brighten) }
// snippet.end
print("brightened", pixels.allSatisfy { $0 == 120 } ? "them again" : "some of them")
pixels.deallocate()
