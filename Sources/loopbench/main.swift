import LoopbenchCommands

Loopbench.main()
