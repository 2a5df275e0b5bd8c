extension LoopHold {
  /// Returns the functions of `stack` as text, one line per frame, innermost
  /// first. Empty if there is no stack.
  ///
  /// Call from any thread, but not on a loop: it blocks while a child process runs
  /// `llvm-symbolizer`, for about 0.1 s, and for at most 30 s. That program is part
  /// of the Swift toolchain and of LLVM, and is searched in `PATH`. It names every
  /// function and its line if the program has debug information, and lists inlined
  /// functions in lines of their own. Without it, only exported functions are
  /// named. The others are shown as an offset in their file, which
  /// `llvm-symbolizer --obj=FILE OFFSET` names on another machine.
  ///
  /// - Complexity: Linear in the debug information of the files.
  public func stackDescription() -> String { Symbols.lines(for: stack).joined(separator: "\n") }
}
