import CSDBus
import ClientHost
import LoopTransactions

// usage: bus-names ADDRESS [--gtk]
//
// Prints changes of the names on a bus. "claim NAME" and "release NAME" change its own names.

/// A connection to a bus. Belongs to the loop's thread.
final class Bus {
  private let (loop, address): (EventLoop, String)
  private var bus: OpaquePointer?
  private var (watcher, timer): (CopyWatcher?, LoopTimer?)
  // When sd-bus wants to be called, in microseconds of the monotonic clock.
  private var deadline = UInt64.max
  // Owned again after a new connection.
  private var names: Set<String> = []
  private var (owned, changes, connections) = (0, 0, 0)

  init(at address: String, on loop: EventLoop) {
    (self.loop, self.address) = (loop, address)
    connect()
    // sd-bus wants other events and another timeout after each call.
    loop.addObserver(for: .beforeWaiting) { [unowned self] _ in askForEvents() }
  }

  var summary: String { "owned \(owned), changes \(changes), connections \(connections)" }

  func claim(_ name: String) {
    names.insert(name)
    if bus != nil { request(name) }
  }

  func release(_ name: String) {
    guard names.remove(name) != nil, bus != nil else { return }
    owned -= 1
    sd_bus_release_name_async(bus, nil, name, nil, nil)
  }

  func close() {
    watcher?.cancel()
    timer?.cancel()
    bus = sd_bus_close_unref(bus)
  }

  private func request(_ name: String) {
    let replied: sd_bus_message_handler_t = { message, bus, _ in
      var result: UInt32 = 0  // 1: the caller owns the name
      if sd_bus_message_read_basic(message, lt_uint32, &result) > 0, result == 1 {
        object(Bus.self, at: bus)?.owned += 1
      }
      return 0
    }
    sd_bus_request_name_async(bus, nil, name, 0, replied, pointer(to: self))
  }
}

// The connection.
extension Bus {
  private func connect() {
    guard lt_sd_bus_open(&bus, address) >= 0 else { return fail() }
    lt_sd_bus_match_owners(
      bus,
      pointer(to: self),
      { message, bus, _ in
        object(Bus.self, at: bus)?.changed(message)
        return 0
      },
      { message, bus, _ in
        object(Bus.self, at: bus)?.connected(message)
        return 0
      }
    )
    watcher = CopyWatcher(sd_bus_get_fd(bus), for: .readable, on: loop) { [unowned self] in
      process()
    }
  }

  /// Called with the answer to the first call.
  private func connected(_ message: OpaquePointer?) {
    if sd_bus_message_is_method_error(message, nil) != 0 { return }
    connections += 1
    say("connected")
    for name in names.sorted() { request(name) }
  }

  private func fail() {
    close()
    (owned, deadline) = (0, .max)
    loop.addTimer(after: .milliseconds(50)) { [unowned self] _ in connect() }
  }

  private func changed(_ message: OpaquePointer?) {
    var texts: [String] = []
    var text: UnsafePointer<CChar>?
    while texts.count < 3, sd_bus_message_read_basic(message, lt_string, &text) > 0 {
      texts.append(text.map { String(cString: $0) } ?? "")
    }
    // Connections have names that begin with a colon.
    guard texts.count == 3, !texts[0].hasPrefix(":") else { return }
    changes += 1
    say(texts[2].isEmpty ? "\(texts[0]) is free" : "\(texts[0]) is owned by \(texts[2])")
  }
}

// Events, which change with each call of sd-bus.
extension Bus {
  private func process() {
    var result: Int32 = 1
    while result > 0 { result = sd_bus_process(bus, nil) }
    if result < 0 { fail() }
  }

  private func askForEvents() {
    // 0: sd-bus has read messages that it has not processed.
    while bus != nil, lt_sd_bus_timeout(bus) == 0 { process() }
    guard bus != nil else { return }
    let interest = Int16(truncatingIfNeeded: sd_bus_get_events(bus))
    var events: DescriptorEvents = []
    if interest & lt_pollin != 0 { events.insert(.readable) }
    if interest & lt_pollout != 0 { events.insert(.writable) }
    watcher?.events = events
    wait(until: lt_sd_bus_timeout(bus))
  }

  private func wait(until time: UInt64) {
    if time == deadline { return }
    deadline = time
    timer?.cancel()
    if time == .max { return }
    let delay = LoopClock.now.duration(to: LoopClock.Instant(nanoseconds: time * 1000))
    timer = loop.addTimer(after: delay) { [unowned self] _ in process() }
  }
}

let loop = try EventLoop()
let host = ClientHost(loop, name: "bus-names")
guard let address = host.arguments.first else { host.fail("usage: bus-names ADDRESS [--gtk]") }
let bus = Bus(at: address, on: loop)
host.readLines { line in
  guard let words = line?.split(separator: " ").map(String.init) else { return host.stop() }
  switch words[0] {
  case "claim": bus.claim(words[words.count - 1])
  case "release": bus.release(words[words.count - 1])
  default: say(bus.summary)
  }
}
try host.run()
say(bus.summary)
