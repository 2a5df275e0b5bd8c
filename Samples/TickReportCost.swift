// Prints how much longer a tick takes while it is reported, by a loop and by hand. The figures
// of docs/performance.md are from this program. Build it with `-c release`.
//
// Arguments: 1 0 1 16 64

import CUV
import IdleTicks
import LoopTransactions

/// A tick, as `Recorder.Tick` has it: 128 bytes.
struct HandTick {
  var rate: (scale: UInt64, cycles: UInt64, nanoseconds: UInt64) = (1 << 31, 0, 0)
  var start: UInt64 = 0
  var end: UInt64 = 0
  var waitStart: UInt64 = 0
  var lastCallback: UInt64 = 0
  var lateness: UInt64 = 0
  var longest: UInt64 = 0
  var longestOwner: UInt64 = 0
  var counts = (SIMD4<UInt32>(), SIMD4<UInt32>(), SIMD4<UInt32>())

  var duration: Duration {
    .nanoseconds(Int64(clamping: (end &- start).multipliedFullWidth(by: rate.scale).high))
  }
}

/// A libuv loop that runs closures in its prepare handle, and reports each tick: with the same
/// readings of the counter and the same stores as a loop, and nothing else.
struct HandLoop {
  var tick = HandTick()
  var handler: ((HandTick) -> Void)?
  var slot = UnsafeMutablePointer<UInt64>.allocate(capacity: 8)
  var posts: [() -> Void] = []
  var left = 0
  var idle = UnsafeMutablePointer<uv_idle_t>.allocate(capacity: 1)
  var tickEnd: UInt64 = 0
  var pieceStart: UInt64 = 0
  var owner: UInt64 = 0
  var polled: UInt64 = 0
  var latestPoll = UInt64.max
  var isWhole = false

  @inline(__always)
  mutating func run(_ owner: UInt64, at now: UInt64) {
    (self.owner, pieceStart) = (owner, now)
    slot[1] = now
    slot[0] = owner
  }

  @inline(__always)
  mutating func closePiece(at now: UInt64) {
    guard Int64(bitPattern: now &- pieceStart) > Int64(bitPattern: tick.longest) else { return }
    (tick.longest, tick.longestOwner) = (now &- pieceStart, owner)
  }

  /// After the poll.
  @inline(__always)
  mutating func beginTick(polledAt time: UInt64) {
    let now = lt_cycles()
    isWhole = true
    (tick.start, tick.waitStart, tick.lastCallback) = (now, min(tickEnd, now), now)
    slot[3] &+= 1
    slot[2] = now
    run(1 << 60, at: now)
    if time != polled { polled = time }
    if now > latestPoll { tick.start = tickEnd }
  }

  @inline(__always)
  mutating func runPosts() {
    for post in posts {
      let now = lt_cycles()
      closePiece(at: now)
      withUnsafeMutableBytes(of: &tick.counts) { bytes in
        let count = bytes.load(fromByteOffset: 8, as: UInt32.self)
        bytes.storeBytes(of: count &+ 1, toByteOffset: 8, as: UInt32.self)
      }
      tick.lastCallback = now
      run(2 << 60, at: now)
      post()
    }
  }

  /// Before the poll.
  @inline(__always)
  mutating func endTick(_ handler: (HandTick) -> Void) {
    let now = lt_cycles()
    closePiece(at: now)
    if now &- tick.rate.cycles > 1 << 62 { tick.rate.cycles = now }
    tick.end = now
    if isWhole { handler(tick) }
    (tick.lateness, tick.longest, tick.longestOwner) = (0, 0, 0)
    tick.counts = (SIMD4(), SIMD4(), SIMD4())
    tickEnd = lt_cycles()
    slot[5] = tickEnd
    (slot[0], slot[2]) = (0, 0)
  }
}

private func state(_ data: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<HandLoop> {
  data.unsafelyUnwrapped.assumingMemoryBound(to: HandLoop.self)
}

func handWillWait(_ handle: UnsafeMutablePointer<uv_prepare_t>?) {
  let state = state(handle.unsafelyUnwrapped.pointee.data)
  guard let handler = state.pointee.handler else {
    for post in state.pointee.posts { post() }
    return
  }
  state.pointee.runPosts()
  state.pointee.endTick(handler)
}

func handDidWait(_ handle: UnsafeMutablePointer<uv_check_t>?) {
  let state = state(handle.unsafelyUnwrapped.pointee.data)
  guard state.pointee.handler != nil else { return }
  state.pointee.beginTick(polledAt: handle.unsafelyUnwrapped.pointee.loop.pointee.time)
}

func handIdle(_ handle: UnsafeMutablePointer<uv_idle_t>?) {
  let state = state(handle.unsafelyUnwrapped.pointee.data)
  state.pointee.left -= 1
  if state.pointee.left == 0 { uv_idle_stop(handle) }
}

/// The handles of a `HandLoop`. Never freed.
@MainActor
final class HandTicks {
  let loop = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
  let state = UnsafeMutablePointer<HandLoop>.allocate(capacity: 1)

  init(posts: Int) {
    let prepare = UnsafeMutablePointer<uv_prepare_t>.allocate(capacity: 1)
    let check = UnsafeMutablePointer<uv_check_t>.allocate(capacity: 1)
    state.initialize(to: HandLoop())
    state.pointee.posts = (0..<posts).map { _ in {} }
    state.pointee.slot.initialize(repeating: 0, count: 8)
    uv_loop_init(loop)
    uv_prepare_init(loop, prepare)
    uv_check_init(loop, check)
    uv_idle_init(loop, state.pointee.idle)
    prepare.pointee.data = UnsafeMutableRawPointer(state)
    check.pointee.data = UnsafeMutableRawPointer(state)
    state.pointee.idle.pointee.data = UnsafeMutableRawPointer(state)
    uv_prepare_start(prepare, handWillWait)
    uv_check_start(check, handDidWait)
    prepare.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { uv_unref($0) }
    check.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { uv_unref($0) }
  }

  /// Makes `count` ticks, and returns the nanoseconds that one took.
  func run(_ count: Int) -> Double {
    state.pointee.left = count
    let start = uv_hrtime()
    uv_idle_start(state.pointee.idle, handIdle)
    uv_run(loop, UV_RUN_DEFAULT)
    return Double(uv_hrtime() - start) / Double(count)
  }
}

/// Measures ticks with `posts` posts, of a loop and by hand, without a handler and with one, in
/// turn.
@MainActor
func measure(rounds: Int, ticks: Int, posts: Int) throws {
  let loop = try EventLoop()
  let (chain, byHand) = (IdleTicks(on: loop, posts: posts), HandTicks(posts: posts))
  var late = 0
  var (ours, floor) = (Rounds(), Rounds())
  _ = chain.run(ticks)
  _ = byHand.run(ticks)
  for _ in 0..<rounds {
    loop.tickHandler = nil
    let without = chain.run(ticks)
    loop.tickHandler = { if $0.duration > .seconds(1) { late += 1 } }
    ours.add(without: without, with: chain.run(ticks))
    byHand.state.pointee.handler = nil
    let floorWithout = byHand.run(ticks)
    byHand.state.pointee.handler = { if $0.duration > .seconds(1) { late += 1 } }
    floor.add(without: floorWithout, with: byHand.run(ticks))
  }
  chain.close()
  try loop.close()
  let ratios = zip(ours.more(), floor.more()).map { $0 / $1 }
  print("\(posts) posts: \(ours.times), more: \(range(ours.more())) ns")
  print("  by hand: \(floor.times), more: \(range(floor.more())) ns; ratio \(range(ratios))")
}

let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
let ticks = (arguments.first ?? 20) * 1000
for posts in arguments.dropFirst() { try measure(rounds: 15, ticks: ticks, posts: posts) }
