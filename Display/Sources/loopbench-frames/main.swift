import FrameBench
import LoopbenchCommands

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

let arguments = CommandLine.arguments.dropFirst()
if arguments.first == "film" { exit(Film.run(Array(arguments.dropFirst()))) }
Loopbench.main(FramesScenario.registry)
