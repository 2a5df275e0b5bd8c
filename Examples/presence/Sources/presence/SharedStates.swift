import LoopRedis
import LoopTransactions

/// The newest versions of all users, in a Redis server. Belongs to the main loop.
///
/// A stream has one entry for each user, of its newest change. Changes are also published on a
/// channel. A node subscribes first and then reads the stream, so it misses no change. After a
/// disconnection it reads only the entries that are newer than the last change it has received.
final class SharedStates {
  /// Called with versions of users, which may be old.
  var onVersions: (([(User, Version)]) -> Void)?

  /// Called when the versions of all users are known, for the first time and again after each
  /// disconnection.
  var onCurrent: (() -> Void)?

  private(set) var scriptCalls = 0
  private let loop: EventLoop
  private let commands, messages: RedisConnection
  private var script: String?
  // Changes that the server has not confirmed.
  private var waiting: Versions = [:]
  private var (isSubscribed, isReading, isCurrent) = (false, false, false)
  // The identifier of the newest known entry.
  private var position = "0-0"

  init(redis path: String, on loop: EventLoop) throws {
    self.loop = loop
    (commands, messages) = (
      try RedisConnection(to: path, on: loop), try RedisConnection(to: path, on: loop)
    )
    commands.onOpen = { [unowned self] in loadScript() }
    messages.onOpen = { [unowned self] in subscribe() }
  }

  /// Shares the newer ones of `versions` with all nodes, this one included.
  func publish(_ versions: Versions) {
    waiting.merge(versions) { max($0, $1) }
    sendWaiting()
  }
}

// Writing.
extension SharedStates {
  // Keeps the newest version of each user, also if a node that was cut off sends an old one.
  private static let source = """
    local changes, newest = {}, nil
    for i = 2, #ARGV, 2 do
      local user, version = ARGV[i], ARGV[i + 1]
      local known, id = 0, nil
      local last = redis.call('HGET', KEYS[2], user)
      if last then known, id = string.match(last, '(%d+) (.+)') end
      if tonumber(version) > tonumber(known) then
        if id then redis.call('XDEL', KEYS[1], id) end
        newest = redis.call('XADD', KEYS[1], '*', user, version)
        redis.call('HSET', KEYS[2], user, version .. ' ' .. newest)
        table.insert(changes, user .. ' ' .. version)
      end
    end
    if newest then redis.call('PUBLISH', ARGV[1], newest .. ' ' .. table.concat(changes, ' ')) end
    return #changes
    """

  private func loadScript() {
    commands.send(["SCRIPT", "LOAD", Self.source]) { [unowned self] reply in
      // An error: the server is loading its file.
      guard let text = reply?.text else { return retry(reply) { [unowned self] in loadScript() } }
      script = text
      readStream()
      sendWaiting()
    }
  }

  private func sendWaiting() {
    guard commands.isOpen, let script else { return }
    var versions = waiting[...]
    waiting = [:]
    while !versions.isEmpty {
      // 500: not measured. The server does nothing else during a call.
      send(Array(versions.prefix(500)), to: script)
      versions = versions.dropFirst(500)
    }
  }

  private func send(_ versions: [Versions.Element], to script: String) {
    var words = ["EVALSHA", script, "2", "presence:stream", "presence:users", "presence"]
    for (user, version) in versions { words += ["\(user.number)", "\(version)"] }
    scriptCalls += 1
    commands.send(words) { [unowned self] reply in
      if case .integer = reply { return }
      for (user, version) in versions { waiting[user] = max(waiting[user] ?? 0, version) }
      retry(reply) { [unowned self] in sendWaiting() }
    }
  }

  /// Calls `body` later after an error. After a disconnection the next connection does it.
  private func retry(_ reply: RedisValue?, _ body: @escaping () -> Void) {
    guard case .error = reply else { return }
    loop.addTimer(after: .milliseconds(50)) { [unowned self] _ in if commands.isOpen { body() } }
  }
}

// Reading.
extension SharedStates {
  private func subscribe() {
    messages.send(["SUBSCRIBE", "presence"]) { [unowned self] reply in
      guard let words = reply?.list else { return (isSubscribed, isCurrent) = (false, false) }
      if words.first?.text == "message" { return received(words.last?.text ?? "") }
      isSubscribed = true
      readStream()
    }
  }

  private func received(_ message: String) {
    let words = message.utf8.split(separator: 32)
    guard let newest = words.first else { return }
    // While entries of the stream are missing, a later disconnection must read them again.
    if isCurrent { position = String(newest) ?? position }
    let numbers = words.dropFirst().map { Self.number($0) }
    onVersions?(
      stride(from: 0, to: numbers.count - 1, by: 2).map {
        (User(number: numbers[$0]), numbers[$0 + 1])
      }
    )
  }

  private static func number(_ digits: Substring.UTF8View) -> Int {
    digits.reduce(0) { $0 &* 10 &+ Int($1 &- 48) }
  }

  private func readStream() {
    guard isSubscribed, script != nil, commands.isOpen, !isReading, !isCurrent else { return }
    isReading = true
    let range = ["XRANGE", "presence:stream", "(" + position, "+", "COUNT", "1000"]
    commands.send(range) { [unowned self] reply in
      isReading = false
      guard case .list(let entries) = reply else {
        return retry(reply) { [unowned self] in readStream() }
      }
      read(entries)
      isCurrent = entries.isEmpty && isSubscribed
      if isCurrent { onCurrent?() } else { readStream() }
    }
  }

  private func read(_ entries: [RedisValue]) {
    var versions: [(User, Version)] = []
    for entry in entries {
      guard let id = entry.list.first?.text, let fields = entry.list.last?.list else { continue }
      let numbers = fields.compactMap { $0.text.flatMap { Int($0) } }
      if numbers.count == 2 { versions.append((User(number: numbers[0]), numbers[1])) }
      position = id
    }
    onVersions?(versions)
  }
}
