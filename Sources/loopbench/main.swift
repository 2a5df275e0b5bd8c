import LoopbenchCommands
#if os(Linux)
  import LoopWatch
#endif

Loopbench.main { most, width, program in
  #if os(Linux)
    try LoopList.lines(most: most, width: width, program: program)
  #else
    ["loopbench watch needs Linux, so the programs that run are not listed."]
  #endif
}
