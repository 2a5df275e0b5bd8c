// Records the latencies of a loop and of a group, and reads them. The times
// differ from run to run.

import LoopTransactions

// snippet.record
let loop = try EventLoop()
loop.recordsLatencies = true
// snippet.end

// snippet.read
func report(_ port: LoopPort) {
  guard let latencies = port.latencies else { return }
  for percentile in [50, 99, 99.9] {
    let busy = latencies.busy.value(atPercentile: percentile)
    print("\(percentile) % of the ticks took at most", busy)
  }
  print("late by at most", latencies.wakeLateness.max)
}
// snippet.end

// snippet.group
func reportGroup() async throws {
  let group = try LoopGroup(name: "shard", count: 2)
  try await group.forEach { loop in loop.recordsLatencies = true }
  try await group.forEach { loop in loop.post {} }
  if let latencies = group.latencies { print(latencies) }
  try await group.shutDown()
}
// snippet.end

// snippet.handler
loop.tickHandler = { tick in
  if tick.duration > .milliseconds(10), let longest = tick.longest {
    print("held by \(longest.work) for", longest.duration)
  }
}
// snippet.end

let port = loop.port
loop.post {
  let end = loop.now.advanced(by: .milliseconds(20))
  while loop.now < end {}
}
loop.addTimer(after: .milliseconds(1), every: .milliseconds(1)) { _ in
  if port.metrics.ticks > 10 { loop.stop() }
}
loop.run()
report(port)
try loop.close()
try await reportGroup()
