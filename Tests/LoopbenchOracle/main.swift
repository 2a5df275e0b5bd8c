import FoundationEssentials
import LoopbenchKit

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// usage: loopbench-oracle feed VALUES
//
// Prints a report of the values in a file, doubles in native byte order, in ns. For Tests/Oracles.
do {
  let words = CommandLine.arguments
  guard words.count == 3, words[1] == "feed" else { throw LoopbenchError.usage("feed VALUES") }
  let data = try Data(contentsOf: URL(filePath: words[2]))
  let values = data.withUnsafeBytes { bytes in
    (0..<bytes.count / 8).map { bytes.loadUnaligned(fromByteOffset: $0 * 8, as: Double.self) }
  }
  try Terminal.output.write(ValuesPeer(values: values).report().json())
} catch {
  try Terminal.error.write("loopbench-oracle: \(error)\n")
  exit(1)
}
