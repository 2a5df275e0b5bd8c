// Commands. Each command sends one reply, or one reply for each of its arguments.
extension Session {
  func perform(_ request: Request) {
    let name = request.name
    if !channels.isEmpty, !["SUBSCRIBE", "UNSUBSCRIBE", "PING", "QUIT"].contains(name) {
      return reply { $0.error("ERR \(printable(name)) is not allowed while subscribed") }
    }
    switch (name, request.count) {
    case ("GET", 1): get(request)
    case ("SET", 2): set(request)
    case ("INCR", 1): increment(request)
    case ("PING", 0...1): ping(request)
    case ("ECHO", 1): reply { $0.bulk(request[0]) }
    case ("DEL", 1...): delete(request)
    case ("EXPIRE", 2): expire(request)
    case ("PUBLISH", 2): publish(request)
    case ("SUBSCRIBE", 1...): subscribe(request)
    case ("UNSUBSCRIBE", _): unsubscribe(request)
    case ("INFO", _): reply { $0.bulk(Array(loop.server.information.utf8)) }
    case ("QUIT", 0):
      reply { $0.simple("OK") }
      end()
    case ("GET", _), ("SET", _), ("INCR", _), ("PING", _), ("ECHO", _), ("DEL", _), ("EXPIRE", _),
      ("PUBLISH", _), ("SUBSCRIBE", _):
      reply { $0.error("ERR wrong number of arguments for '\(name.lowercased())' command") }
    default:
      reply { $0.error("ERR unknown command '\(printable(name))'") }
    }
  }

  private func get(_ request: Request) {
    let value = loop.server.store.get(Bytes(request[0]))
    reply { reply in
      if let value { reply.bulk(value) } else { reply.null() }
    }
  }

  private func set(_ request: Request) {
    let isStored = loop.server.store.set(Bytes(request[0]), Array(request[1]))
    reply { reply in if isStored { reply.simple("OK") } else { reply.error(Self.outOfMemory) } }
  }

  private func increment(_ request: Request) {
    let result = loop.server.store.increment(Bytes(request[0]))
    reply { reply in
      switch result {
      case .number(let number): reply.number(number)
      case .notAnInteger: reply.error("ERR value is not an integer or out of range")
      case .outOfMemory: reply.error(Self.outOfMemory)
      }
    }
  }

  // The text of Redis, by which clients recognise the error.
  private static var outOfMemory: String {
    "OOM command not allowed when used memory > 'maxmemory'."
  }

  private func ping(_ request: Request) {
    reply { reply in
      if !channels.isEmpty {
        reply.array(2)
        reply.bulk(Array("pong".utf8))
        reply.bulk(request.count == 1 ? Array(request[0]) : [])
      } else if request.count == 1 {
        reply.bulk(request[0])
      } else {
        reply.simple("PONG")
      }
    }
  }

  private func delete(_ request: Request) {
    let store = loop.server.store
    let count = (0..<request.count).count { store.delete(Bytes(request[$0])) }
    reply { $0.number(count) }
  }

  private func expire(_ request: Request) {
    guard let seconds = Int(String(decoding: request[1], as: UTF8.self)),
      Self.expiryRange.contains(seconds)
    else { return reply { $0.error("ERR value is not an integer or out of range") } }
    let exists = loop.server.store.expire(Bytes(request[0]), after: seconds)
    reply { $0.number(exists ? 1 : 0) }
  }

  // 136 years. This is a range because comparing `abs(seconds)` with a limit would
  // trap for `Int.min`.
  private static var expiryRange: ClosedRange<Int> { -(1 << 32)...1 << 32 }

  private func publish(_ request: Request) {
    let count = loop.publish(Bytes(request[0]), request[1])
    reply { $0.number(count) }
  }

  private func subscribe(_ request: Request) {
    for index in 0..<request.count {
      let channel = Bytes(request[index])
      if !channels.contains(channel) {
        if let refusal = refusal(of: channel) {
          reply { $0.error(refusal) }
          continue
        }
        channels.insert(channel)
        loop.subscribe(self, to: channel)
      }
      replySubscription("subscribe", channel)
    }
  }

  // Limits the memory that a client's subscriptions can use.
  private func refusal(of channel: Bytes) -> String? {
    let limit = loop.server.options.subscriptions
    if channels.count >= limit { return "ERR too many subscriptions: the limit is \(limit)" }
    guard channel.array.count > Self.maxNameLength else { return nil }
    return "ERR channel name too long: the limit is \(Self.maxNameLength) bytes"
  }

  private static var maxNameLength: Int { 1024 }

  private func unsubscribe(_ request: Request) {
    let named = (0..<request.count).map { Bytes(request[$0]) }
    let removed = named.isEmpty ? Array(channels) : named
    for channel in removed {
      if channels.remove(channel) != nil { loop.unsubscribe(self, from: channel) }
      replySubscription("unsubscribe", channel)
    }
    if removed.isEmpty { replySubscription("unsubscribe", nil) }
  }

  private func replySubscription(_ kind: String, _ channel: Bytes?) {
    reply { reply in
      reply.array(3)
      reply.bulk(Array(kind.utf8))
      if let channel { reply.bulk(channel.array) } else { reply.null() }
      reply.number(channels.count)
    }
  }

  // A line break in a client's command name must not end the line of the reply.
  private func printable(_ name: String) -> String {
    String(name.unicodeScalars.map { (33...126).contains($0.value) ? Character($0) : "?" })
  }
}
