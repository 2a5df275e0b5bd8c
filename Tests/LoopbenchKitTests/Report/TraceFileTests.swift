import Foundation
import LoopbenchKit
import Testing

@Suite("TraceFile")
struct TraceFileTests {
  private struct Event: Decodable {
    let name: String
    let cat: String
    let ph: String
    let pid: Int
    let tid: Int
    let ts: Double?
    let dur: Double?
    let args: [String: String]?

    var end: Double { (ts ?? 0) + (dur ?? 0) }
  }

  private struct File: Decodable {
    let traceEvents: [Event]
  }

  private func events(_ scenario: String, peers: [String]) throws -> [Event] {
    let selection = try Selection(
      from: Registry.standard.taking(samples: 5, in: 1),
      scenarios: [scenario],
      peers: peers,
      placement: .detect(),
      control: .never
    )
    let trace = try Runner(contenders: selection.contenders, seed: 1).trace(forNs: 1)
    return try JSONDecoder().decode(File.self, from: Data(trace.render().utf8)).traceEvents
  }

  @Test("every callback of a wake is inside its send, and both are inside the slice")
  func wake() throws {
    let events = try events("wake", peers: ["uv", "lt"])
    let names = events.filter { $0.name == "process_name" }.compactMap { $0.args?["name"] }
    #expect(Set(names) == ["uv", "lt"])
    let slices = events.filter { $0.ph == "X" && $0.tid == 0 }
    let sends = events.filter { $0.name == "send to answer" }
    let callbacks = events.filter { $0.name == "callback" }
    #expect(sends.count == callbacks.count)
    #expect(sends.count >= 10)
    for (send, callback) in zip(sends, callbacks) {
      #expect((send.ts ?? 0)...send.end ~= callback.ts ?? 0)
      // A peer is measured in several slices if the first one took little time.
      let own = slices.filter { $0.name == send.cat }
      #expect(own.contains { ($0.ts ?? 0)...$0.end ~= send.ts ?? 0 && send.end <= $0.end })
    }
  }

  @Test("ticks and waits of a loop alternate without a gap")
  func ticks() throws {
    let events = try events("drain", peers: ["lt"])
    let ticks = events.filter {
      $0.cat == "drain/batched/lt" && ["tick", "waits"].contains($0.name)
    }
    #expect(ticks.count > 10)
    for (before, after) in zip(ticks, ticks.dropFirst()) {
      #expect(abs(before.end - (after.ts ?? 0)) < 0.01)
      #expect(before.name != after.name)
    }
    #expect(events.contains { $0.name == "batch of 1000" })
  }

  @Test("a slice begins and ends with its measurement, not with its preparation")
  func slice() throws {
    // Each reading of the clock is 1 us later than the one before.
    let runner = Runner(
      contenders: try Selection(from: Fixture().registry, placement: Fixture().placement)
        .contenders,
      seed: 1,
      instruments: .stepping()
    )
    let trace = try runner.trace(forNs: 1)
    let slices = try JSONDecoder().decode(File.self, from: Data(trace.render().utf8)).traceEvents
      .filter { $0.ph == "X" && $0.tid == 0 }
    #expect(slices.count > 1)
    for (before, after) in zip(slices, slices.dropFirst()) {
      #expect(after.ts == before.end + 1)
    }
  }

  @Test("an interrupted trace keeps the slices measured before the interruption")
  func interrupted() throws {
    let runner = Runner(
      contenders: try Selection(from: Fixture().registry, placement: Fixture().placement)
        .contenders,
      seed: 1,
      instruments: .stepping()
    )
    var asked = 0
    let trace = try runner.trace(forNs: .max) {
      asked += 1
      return asked > 2
    }
    #expect(trace.count == 2)
  }
}
