import LoopbenchKit

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// loopbench-oracle feed VALUES        a report of the values in a file
// loopbench-oracle report FORMAT FILE
// loopbench-oracle plot KIND svg|html|text|ascii FILE...
// loopbench-oracle schema
do {
  try Terminal.output.write(Oracle(Array(CommandLine.arguments.dropFirst())).answer())
} catch {
  try Terminal.error.write("loopbench-oracle: \(error)\n")
  exit(1)
}
