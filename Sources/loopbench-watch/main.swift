import LoopWatch

WatchProgram.main(Array(CommandLine.arguments.dropFirst()))
