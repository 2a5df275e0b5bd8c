import LoopbenchCommands
import LoopbenchPeers

Loopbench.main(PeersRegistry.registry)
