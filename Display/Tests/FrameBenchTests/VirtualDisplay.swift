/// An X display without a screen, served by Xvfb.
final class VirtualDisplay {
  struct NotStarted: Error {
    let output: TestProgram.Output
  }

  /// The value for `DISPLAY`.
  let name: String
  private let server: TestProgram

  init(size: String = "800x600x24") throws {
    server = TestProgram(
      "Xvfb",
      ["-displayfd", "1", "-screen", "0", size, "-nolisten", "tcp"]
    )
    try server.start()
    // Xvfb prints its number once clients can connect.
    guard let number = server.nextLine() else { throw NotStarted(output: server.finish()) }
    name = ":\(number)"
  }
}
