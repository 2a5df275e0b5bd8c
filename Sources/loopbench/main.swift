import LoopbenchCommands

#if os(Linux)
  import LoopWatch

  Loopbench.main { try LoopList.lines(most: $0, width: $1, program: $2) }
#else
  Loopbench.main { _, _, _ in
    ["loopbench watch needs Linux, so the programs that run are not listed."]
  }
#endif
