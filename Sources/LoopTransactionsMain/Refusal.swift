#if os(Linux) && compiler(>=6.4)
  // Not an #error: it would also stop builds of this package that link no
  // program with this library.
  @c
  private func refuse() {
    fatalError(
      """
      LoopTransactionsMain: this compiler is newer than Swift 6.3, whose executors it replaces; \
      do not link it, make main synchronous and call EventLoop.runMain
      """
    )
  }

  // Called by the system before `main`. Otherwise the program would run without
  // the loop and not say so.
  @section(".init_array")
  @used
  private let constructor: @convention(c) () -> Void = refuse
#endif
