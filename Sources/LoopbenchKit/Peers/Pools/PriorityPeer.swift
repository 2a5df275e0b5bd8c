private import CLoopbench

/// `priority` of whatever runs functions on several threads.
struct PriorityPeer<Pool: FunctionPool>: Peer {
  let scenario = "priority"
  let series = PriorityLoad.series

  var name: String { Pool.name }
  var summary: String { Pool.summary }
  var isReference: Bool { Pool.isReference }
  var unavailability: String? { Pool.unavailability }

  // 10 s: what takes longer is broken.
  private static var limit: UInt64 { 10_000_000_000 }

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    cl_sleep_within(slice.conditions.slackNs)
    let field = try PriorityField()
    var load: EndlessLoad<Pool>?
    try Pool.using { (pool) throws(PeerFailure) in
      switch slice.series {
      case "latency": load = measureLatency(&slice, pool, field)
      case "starvation": load = measureStarvation(&slice, pool, field)
      default: throw slice.unknownSeries
      }
    }
    // The pool is closed: no operation is under way that could touch them.
    withExtendedLifetime((field, load)) {}
  }

  private func measureLatency(
    _ slice: inout Slice,
    _ pool: Pool,
    _ field: PriorityField
  ) -> EndlessLoad<Pool> {
    let load = EndlessLoad(pool, field, .low)
    load.begin(PriorityLoad.crowd)
    var before: UInt64 = 0
    for index in 0..<slice.effort.warmUps + slice.effort.samples {
      let pause = PriorityLoad.pause + slice.generator.number(below: PriorityLoad.pause)
      cl_sleep_until(cl_now() + pause)
      if index == slice.effort.warmUps { before = field.inversions }
      let waited = field.time(limit: Self.limit) {
        pool.add(PriorityField.start, context: field.address, .high)
      }
      if index >= slice.effort.warmUps { slice.record(nanoseconds: Double(waited)) }
    }
    slice.count(field.inversions - before, as: PriorityLoad.inversions)
    load.end()
    return load
  }

  private func measureStarvation(
    _ slice: inout Slice,
    _ pool: Pool,
    _ field: PriorityField
  ) -> EndlessLoad<Pool> {
    let load = EndlessLoad(pool, field, .high)
    var starved: UInt64 = 0
    for index in 0..<slice.effort.warmUps + slice.effort.samples {
      load.begin(PriorityLoad.endless)
      cl_sleep_until(cl_now() + PriorityLoad.headStart)
      let waited = field.time(limit: PriorityLoad.patience) {
        pool.add(PriorityField.start, context: field.address, .low)
      }
      load.end()
      guard index >= slice.effort.warmUps else { continue }
      slice.record(nanoseconds: Double(waited))
      if waited == PriorityLoad.patience { starved += 1 }
    }
    slice.count(starved, as: PriorityLoad.starved)
    return load
  }
}
