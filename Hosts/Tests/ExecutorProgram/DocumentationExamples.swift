import LoopTransactions

// The example of Hosts/README.md for SwiftNIO, compiled and not run. scripts/lib/blocks.py
// compares it. SwiftNIO is not a dependency, so types of the same shape stand in for its own.

/// Stands in for NIOCore.EventLoop.
private protocol NIOLoop: Sendable {
  func execute(_ task: @escaping @Sendable () -> Void)
}

/// Stands in for NIOCore.ByteBuffer.
private struct Buffer {
  mutating func writeImmutableBuffer(_ buffer: Buffer) {}
}

private final class Client {
  static let flush = Selector<Client>("flush") { $0.pending = Buffer() }

  var pending = Buffer()
}

private struct Room {
  var clients: [Client] = []
}

@MainActor
private func nio(_ eventLoop: some NIOLoop, _ room: Room, _ line: Buffer) async throws {
  // snippet.nio
  // On the NIO event loop, for example in eventLoop.submit { … }.
  let loop = try LoopTransactions.EventLoop()
  let host = try ExecutorHost(
    loop,
    on: HostExecutor { work in
      eventLoop.execute(work)
      return true
    }
  )

  // In channelRead of each client:
  for client in room.clients {
    client.pending.writeImmutableBuffer(line)
    loop.commit(client, Client.flush)  // writes once per turn, however many lines there are
  }

  // At the end, before group.shutdownGracefully():
  try await host.close()
  // snippet.end
}
