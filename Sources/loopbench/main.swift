import LoopbenchKit

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

HostProcess.keepDescriptors()
HostProcess.guardSignals()
// Synchronous to the end: with an `await` here, thread 0 would be given up.
let program = Program(.process(arguments: CommandLine.arguments))
exit(program.run().rawValue)
