// Prints the cost of loop threads: descriptors, and resident memory. The figures
// of docs/performance.md are from this program. Needs /proc.
//
// Arguments: 1 8

import Foundation
import LoopTransactions

/// The number of open descriptors, and the resident memory in KiB.
func usage() -> (descriptors: Int, memory: Int) {
  let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
  let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
  let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
  return (open, line.flatMap { Int($0.filter(\.isNumber)) } ?? 0)
}

func measure(_ count: Int) async throws {
  let before = usage()
  let group = try LoopGroup(count: count)
  // Each loop has run once, as a loop in use has.
  try await group.forEach { loop in _ = loop.metrics }
  let after = usage()
  try await group.shutDown()
  let (descriptors, memory) = (after.descriptors - before.descriptors, after.memory - before.memory)
  print("\(count) loops: \(descriptors) descriptors, \(memory) KiB")
}

// libuv and Swift allocate some things with the first loop.
try await measure(1)
for argument in CommandLine.arguments.dropFirst() {
  if let count = Int(argument) { try await measure(count) }
}
