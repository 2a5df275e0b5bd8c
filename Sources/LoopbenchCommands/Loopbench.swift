public import LoopbenchKit

#if canImport(Darwin)
  private import Darwin
#elseif canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#endif

/// The command line, for a program that measures with it.
public enum Loopbench {
  /// Does what the process's arguments say, with what `registry` has, and ends
  /// the process.
  ///
  /// A program of this one line is a whole `loopbench`: every command, option,
  /// format and plot, with its own scenarios and peers. Called `loopbench-NAME`,
  /// it is found by `loopbench NAME`.
  ///
  /// ```swift
  /// Loopbench.main(Registry(scenarios: [mine], peers: [MyPeer()]))
  /// ```
  ///
  /// Call it on the main thread, outside any `async` function: that thread is
  /// one of those that measure.
  public static func main(_ registry: Registry = .standard) -> Never {
    HostProcess.keepDescriptors()
    HostProcess.guardSignals()
    var context = Context.process(arguments: CommandLine.arguments)
    context.registry = registry
    exit(Program(context).run().rawValue)
  }
}
