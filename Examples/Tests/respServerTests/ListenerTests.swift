import CLibUV
import Foundation
import LoopTransactions
import Testing

@testable import resp_server

@Suite("Listener")
struct ListenerTests {
  /// The result of one `accept`, and whether a descriptor is freed during the call.
  private struct Attempt {
    let result: Int32
    var freesDescriptor = false
  }

  /// Runs a listener with a waiting client until it has made all attempts or has paused
  /// more than `limit` times. Returns the number of pauses.
  private func pauses(_ attempts: [Attempt], limit: Int = 0) throws -> Int {
    let uv = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
    defer { uv.deallocate() }
    #expect(uv_loop_init(uv) == 0)
    let loop = try EventLoop(adopting: UnsafeMutableRawPointer(uv))
    let (socket, port) = try Client.listeningSocket()
    let client = try Client(port)
    let waiters = DescriptorWaiters()
    var (made, pauses) = (0, 0)
    let listener = try Listener(
      socket,
      on: loop,
      uv,
      waiters: waiters,
      retryDelay: .seconds(3600),
      didPause: { pauses += 1 },
      didAccept: { _ in },
      accept: { _ in
        guard made < attempts.count else { return -EAGAIN }
        defer { made += 1 }
        // Simulates that another thread closes a descriptor.
        if attempts[made].freesDescriptor { waiters.didFree() }
        return attempts[made].result
      }
    )
    // This call blocks forever if the listener pauses and nothing resumes it.
    while made < attempts.count, pauses <= limit { loop.run(.once) }
    listener.close()
    client.close()
    try loop.close()
    uv_run(uv, UV_RUN_DEFAULT)
    #expect(uv_loop_close(uv) == 0)
    return pauses
  }

  @Test("a descriptor freed before the listener registers prevents the pause")
  func freedBefore() throws {
    let count = try pauses([
      Attempt(result: -EMFILE, freesDescriptor: true), Attempt(result: -EAGAIN),
    ])
    #expect(count == 0)
  }

  @Test("a descriptor freed between the registration and the pause ends the pause")
  func freedBetween() async {
    await #expect(processExitsWith: .success) {
      // Kills the process if nothing resumes the listener.
      alarm(60)
      let attempts = [
        Attempt(result: -EMFILE), Attempt(result: -EMFILE, freesDescriptor: true),
        Attempt(result: -EAGAIN),
      ]
      let count = try ListenerTests().pauses(attempts, limit: 1)
      #expect(count == 1)
    }
  }

  @Test("aborted connections and interrupted calls do not pause the listener")
  func skippedErrors() throws {
    let count = try pauses([-ECONNABORTED, -EINTR, -EPROTO, -EAGAIN].map { Attempt(result: $0) })
    #expect(count == 0)
  }
}
