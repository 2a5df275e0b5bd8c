import FoundationEssentials
import LoopWatch
import LoopbenchKit
import Testing

/// Late holds for the tests of the output files.
enum Example {
  static func late(
    from began: UInt64,
    _ parts: [Cause: UInt64],
    stacks: [(state: Observation.State, frames: [StackFrame])] = [],
    thread: String = "node"
  ) -> LateHold {
    var divided = HoldParts()
    for (cause, time) in parts { divided[cause] = time * 1_000_000 }
    let hold = Hold(began: began * 1_000_000, ended: began * 1_000_000 + divided.total, events: 3)
    var late = LateHold(hold: hold, parts: divided, thread: thread, process: 4711)
    late.captures = stacks.map { Capture(stack: $0.frames, state: $0.state) }
    return late
  }

  static func frames(_ names: String...) -> [StackFrame] {
    names.map { StackFrame($0, place: "a.js:1", role: .program) } + [
      StackFrame("uv_run", role: .loop), StackFrame("main", role: .program),
    ]
  }

  static func result(_ holds: [LateHold], program: String = "node shop.js") -> WatchResult {
    var summary = WatchSummary(threshold: 20_000_000)
    for late in holds { summary.add(late) }
    (summary.ticks, summary.length) = (12_408, 30_000_000_000)
    summary.neighbours = "2 CPUs; ffmpeg used 1.8"
    var result = WatchResult(summary: summary, holds: holds)
    (result.program, result.process, result.timeOrigin) = (program, 4711, 1_764_000_000_000_000_000)
    return result
  }

  static var holds: [LateHold] {
    let walk = frames("walk", "walk", "walk", "load")
    return [
      late(
        from: 1000,
        [.running: 80, .waiting: 20],
        stacks: [(.runnable, walk), (.runnable, walk), (.blocked, frames("read", "load"))]
      ),
      late(from: 2000, [.blocked: 39, .unexplained: 1], thread: "worker"),
    ]
  }
}

@Suite("WatchDocument")
struct WatchDocumentTests {
  private let schema: JSONValue

  init() throws { schema = try JSONValue(WatchDocument.schema) }

  private func faults(_ text: String) throws -> [String] {
    try JSONSchema(root: schema).faults(of: JSONValue(text), in: schema, at: "$")
  }

  @Test("a document of holds with and without stacks has its schema")
  func valid() throws {
    #expect(try faults(WatchDocument(Example.result(Example.holds)).json()) == [])
    #expect(try faults(WatchDocument(Example.result([])).json()) == [])
  }

  @Test(
    "a document with another name, type or value does not have the schema",
    arguments: [
      ("\"events\" : 3", "\"events\" : -3"), ("\"lateCount\"", "\"count\""),
      ("\"cause\" : \"running\"", "\"cause\" : \"busy\""), ("\"count\" : 2", "\"count\" : 0.5"),
      ("\"blocked\" : 39", "\"asleep\" : 39"), ("loopbench-watch/1", "loopbench-watch/2"),
      ("\"walk a.js:1 ×3\"", "3"),
    ]
  )
  func invalid(old: String, new: String) throws {
    let text = WatchDocument(Example.result(Example.holds)).json()
    #expect(text.contains(old))
    #expect(try !faults(text.replacing(old, with: new)).isEmpty)
  }

  @Test("the causes of a hold sum to its duration, and equal stacks are counted")
  func hold() throws {
    let document = try JSONValue(WatchDocument(Example.result(Example.holds)).json())
    let hold = try #require(document["holds"]?.elements.first)
    #expect(hold["duration"] == .number(100) && hold["blockingDuration"] == .number(80))
    let times = hold["causes"]?.members.values.compactMap(\.number) ?? []
    #expect(times.reduce(0, +) == 100)
    #expect(hold["culprit"] == .array([.string("walk a.js:1 ×3"), .string("load a.js:1")]))
    #expect(hold["stacks"]?.elements.map { $0["count"] } == [.number(2), .number(1)])
    #expect(hold["isGarbageCollection"] == .bool(false))
  }

  @Test("a hold during a collection of garbage is marked")
  func collection() throws {
    let frames = [StackFrame("Heap::CollectGarbage", role: .collector)] + Example.frames("f")
    let late = Example.late(from: 1, [.running: 30], stacks: [(.runnable, frames)])
    let document = try JSONValue(WatchDocument(Example.result([late])).json())
    #expect(document["holds"]?.elements.first?["isGarbageCollection"] == .bool(true))
  }

  @Test("names do not end a line or a field of the folded stacks")
  func folded() {
    let frames = [StackFrame("f\n;g", role: .program)]
    let late = Example.late(from: 1, [.running: 30], stacks: [(.runnable, frames)])
    #expect(Example.result([late]).folded() == "node;f\\u000a:g 1\n")
  }
}

@Suite("WatchResult")
struct WatchResultTests {
  @Test("a trace has a span for each late hold, on a thread for each loop")
  func trace() throws {
    var result = Example.result(Example.holds)
    result.began = 500_000_000
    let timeline = try Timeline(Data(result.trace().utf8), from: "t.json")
    #expect(timeline.threads.map(\.name) == ["node", "worker"])
    #expect(timeline.threads.map(\.process) == ["node shop.js", "node shop.js"])
    #expect(timeline.threads.map { $0.spans.map(\.start) } == [[500_000_000], [1_500_000_000]])
    #expect(timeline.threads.flatMap { $0.spans.map(\.duration) } == [100_000_000, 40_000_000])
    #expect(
      timeline.kinds.map { [$0.name, $0.category] } == [
        ["walk a.js:1 ×3 < load a.js:1", "running"], ["blocked", "blocked"],
      ]
    )
  }

  @Test("a hold that began before the watch does not have a negative time")
  func early() throws {
    var result = Example.result(Example.holds)
    result.began = 1_050_000_000
    let trace = try JSONValue(result.trace())
    let span = try #require(trace["traceEvents"]?.elements.first { $0["ph"] == .string("X") })
    #expect(span["ts"] == .number(0) && span["args"]?["running"] == .string("80 ms"))
  }
}

/// A value of JSON.
enum JSONValue: Equatable, Decodable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  init(_ text: String) throws {
    self = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
  }

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    // try?: each attempt fails for a value of another type.
    if let bool = try? value.decode(Bool.self) {
      self = .bool(bool)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let string = try? value.decode(String.self) {
      self = .string(string)
    } else if let array = try? value.decode([JSONValue].self) {
      self = .array(array)
    } else if value.decodeNil() {
      self = .null
    } else {
      self = .object(try value.decode([String: JSONValue].self))
    }
  }

  subscript(_ key: String) -> JSONValue? { members[key] }

  var members: [String: JSONValue] { if case .object(let members) = self { members } else { [:] } }
  var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
  var string: String? { if case .string(let string) = self { string } else { nil } }
  var number: Double? { if case .number(let number) = self { number } else { nil } }
}

/// Compares a value with the keywords of JSON Schema that `loopbench-watch/1` uses. An
/// unknown keyword is a fault.
struct JSONSchema {
  let root: JSONValue

  func faults(of value: JSONValue, in schema: JSONValue, at path: String) -> [String] {
    schema.members.flatMap { keyword, rule in
      faults(of: value, keyword, rule, schema, at: path)
    }
  }

  private func faults(
    of value: JSONValue,
    _ keyword: String,
    _ rule: JSONValue,
    _ schema: JSONValue,
    at path: String
  ) -> [String] {
    func fault(unless holds: Bool) -> [String] { holds ? [] : ["\(path): \(keyword) \(rule)"] }
    switch keyword {
    case "$schema", "$id", "$defs", "title", "description": return []
    case "$ref":
      let name = rule.string?.split(separator: "/").last.map(String.init) ?? ""
      guard let target = root["$defs"]?[name] else { return fault(unless: false) }
      return faults(of: value, in: target, at: path)
    case "type": return fault(unless: Self.hasType(rule.string, value))
    case "const": return fault(unless: value == rule)
    case "enum": return fault(unless: rule.elements.contains(value))
    case "minimum": return fault(unless: (value.number ?? 0) >= (rule.number ?? 0))
    case "required":
      return fault(unless: rule.elements.allSatisfy { value[$0.string ?? ""] != nil })
    case "properties":
      return rule.members.flatMap { name, property in
        value[name].map { faults(of: $0, in: property, at: "\(path).\(name)") } ?? []
      }
    case "propertyNames":
      return value.members.keys.flatMap { faults(of: .string($0), in: rule, at: "\(path).\($0)") }
    case "additionalProperties":
      let known = schema["properties"]?.members ?? [:]
      return value.members.filter { known[$0.key] == nil }
        .flatMap { faults(of: $0.value, in: rule, at: "\(path).\($0.key)") }
    case "items":
      return value.elements.enumerated()
        .flatMap { faults(of: $0.element, in: rule, at: "\(path)[\($0.offset)]") }
    default: return fault(unless: false)
    }
  }

  private static func hasType(_ name: String?, _ value: JSONValue) -> Bool {
    switch (name, value) {
    case ("object", .object), ("array", .array), ("string", .string), ("boolean", .bool),
      ("number", .number):
      true
    case ("integer", .number(let number)): number == number.rounded()
    default: false
    }
  }
}

@Suite("WatchLoad")
struct WatchLoadTests {
  private func hold(_ began: UInt64, _ ended: UInt64, events: Int = 1) -> Hold {
    Hold(began: began * 1_000_000, ended: ended * 1_000_000, events: events)
  }

  @Test("an event that ended a wait has the time of its tick, and its cost")
  func slept() {
    let load = WatchLoad(thread: "node", ticks: [hold(10, 15), hold(30, 32)])
    #expect(
      load.events == [
        .init(time: 10_000_000, cost: 5_000_000), .init(time: 30_000_000, cost: 2_000_000),
      ]
    )
  }

  @Test("events that arrived during a tick are spread over it, and share the next one")
  func pending() {
    let load = WatchLoad(thread: "node", ticks: [hold(10, 50), hold(50, 59, events: 3)])
    #expect(load.events.map(\.time) == [10_000_000, 20_000_000, 30_000_000, 40_000_000])
    #expect(load.events.map(\.cost) == [40_000_000, 3_000_000, 3_000_000, 3_000_000])
  }

  @Test("the costs of the events sum to the time of the ticks, and times do not decrease")
  func sums() {
    var ticks: [Hold] = []
    var time: UInt64 = 0
    for index in 0..<500 as Range<UInt64> {
      let length = index * 7919 % 100_000
      ticks.append(Hold(began: time, ended: time + length, events: Int(index % 5)))
      time += length + (index % 3 == 0 ? 1_000_000 : 100)
    }
    let events = WatchLoad(thread: "node", ticks: ticks).events
    #expect(events.reduce(0) { $0 + $1.cost } == ticks.reduce(0) { $0 + $1.length })
    #expect(zip(events, events.dropFirst()).allSatisfy { $0.time <= $1.time })
  }

  @Test("the file can be played, for any names")
  func file() throws {
    let name = "a b\n#é" + String(repeating: "x", count: 300)
    let load = WatchLoad(thread: name, ticks: [hold(10, 5000), hold(5000, 5002, events: 2)])
    let replay = try Replay.parse(load.text(program: name))
    #expect(replay.entries.map(\.time) == [0, 1_663_333, 3_326_666])
    #expect(replay.entries.map(\.cost) == [1_000_000, 1000, 1000])
    #expect(replay.actions.count == 3)
  }

  @Test("a long load ends with its last events")
  func limits() throws {
    let ticks = (0..<1000 as Range<UInt64>).map { hold($0 * 1000, $0 * 1000 + 1, events: 300) }
    let replay = try Replay.parse(WatchLoad(thread: "n", ticks: ticks).text(program: "p"))
    #expect(replay.entries.count <= Replay.Limit.entries && replay.duration <= Replay.Limit.time)
    #expect(replay.duration > 500_000_000)
  }
}
