#if canImport(LoopRedis)
  import LoopRedis
  import LoopTransactions
  import Testing

  @Suite("a connection to Redis", .timeLimit(.minutes(1)))
  struct RedisConnectionTests {
    // hiredis frees a context that is not connected, and calls no callback.
    @Test("a connection that is closed before it is open ends the run")
    func closedEarly() throws {
      let server = try UnreadServer()
      let loop = try EventLoop()
      let connection = try RedisConnection(to: server.path, on: loop)
      connection.close()
      connection.close()
      loop.run()
      #expect(connection.count == 0)
      try loop.close()
    }

    @Test("a path with a zero byte is refused")
    func zeroByte() throws {
      let loop = try EventLoop()
      let error = #expect(throws: UVError.self) { try RedisConnection(to: "/tmp/a\0b", on: loop) }
      #expect(error?.name == "EINVAL")
      try loop.close()
    }

    @Test("a closed connection does not connect again")
    func closedWhileAbsent() throws {
      let folder = try ServerFolder()
      let loop = try EventLoop()
      let connection = try RedisConnection(to: folder.path("socket"), on: loop)
      connection.close()
      let server = try UnreadServer(in: folder)
      loop.run()
      #expect(connection.count == 0)
      #expect(!server.hasClient)
      try loop.close()
    }
  }
#endif
