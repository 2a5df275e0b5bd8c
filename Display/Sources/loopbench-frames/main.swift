import FrameBench
import LoopbenchCommands

let film = ExtraCommand(
  name: "film",
  summary: "draw every refresh of the screen as an SVG film strip"
) { Film.run($0) }
Loopbench.main(FramesScenario.registry, commands: [film])
