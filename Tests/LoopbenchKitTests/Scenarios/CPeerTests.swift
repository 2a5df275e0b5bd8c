import CLoopbench
import LoopbenchKit
import Testing

@Suite("C peers")
struct CPeerTests {
  @Test("commit performs each target once per tick, however often it was committed")
  func commit() throws {
    let peer = try #require(cl_uv_commit_open(100))
    defer { cl_uv_commit_close(peer) }
    #expect(cl_uv_commit_duplicates(peer, 7) > 0)
    #expect(cl_uv_commit_performed(peer) == 100)
    #expect(cl_uv_commit_first(peer) > 0)
    #expect(cl_uv_commit_performed(peer) == 200)
  }

  @Test("every item that the loop's thread posts runs once")
  func postToSelf() throws {
    let peer = try #require(cl_uv_post_open())
    let loop = UnsafeMutableRawPointer(peer)
    defer { cl_uv_loop_close(loop) }
    let finish = CompletionCounter(stop: cl_uv_loop_stop, context: loop)
    for count in [1, 2, 1000] {
      finish.reset(target: count)
      cl_uv_post_burst(peer, UInt32(count), cl_finish_step, finish.pointer)
      cl_uv_loop_run(loop)
      #expect(finish.ran == count)
      #expect(finish.finished > 0)
    }
  }

  @Test("every item that another thread posts runs once")
  func postAcross() throws {
    let peer = try #require(cl_uv_post_open())
    let loop = UnsafeMutableRawPointer(peer)
    defer { cl_uv_loop_close(loop) }
    let finish = CompletionCounter(stop: cl_uv_loop_stop, context: loop)
    let shared = UnsafeTransfer((peer: peer, finish: finish.pointer))
    finish.reset(target: 50_000)
    let elapsed = try PostBurst.nanoseconds(producerCPU: nil, finish: finish) {
      cl_uv_post_burst(shared.value.peer, 50_000, cl_finish_step, shared.value.finish)
    } runLoop: {
      cl_uv_loop_run(loop)
    }
    #expect(finish.ran == 50_000)
    #expect(elapsed > 0)
  }

  @Test("a burst that ends before every item ran throws")
  func postCutShort() throws {
    let finish = CompletionCounter()
    finish.reset(target: 10)
    #expect(throws: PeerError("only 0 items ran before the loop returned")) {
      try PostBurst.nanoseconds(producerCPU: nil, finish: finish) {
      } runLoop: {
      }
    }
  }

  @Test("every object is delivered once, with any batch size", arguments: [1, 16, 1000, 5000])
  func drain(batch: UInt32) throws {
    let finish = CompletionCounter()
    let peer = try #require(cl_uv_drain_open(1000, batch, finish.pointer))
    let loop = UnsafeMutableRawPointer(peer)
    defer { cl_uv_loop_close(loop) }
    finish.stops(cl_uv_loop_stop, loop)
    for _ in 1...3 {
      finish.reset(target: 1000)
      cl_uv_drain_add(peer, false)
      cl_uv_loop_run(loop)
      #expect(finish.ran == 1000)
    }
  }

  @Test(
    "the queue by hand delivers each object once, retained and in order",
    arguments: [1, 16, 1000] as [UInt32]
  )
  func handDrain(batch: UInt32) throws {
    final class Element {}
    let delivered = DeliveredObjects()
    let peer = try #require(delivered.open(count: 1000, batch: batch))
    defer { cl_hand_drain_close(peer) }
    weak var last: Element?
    for _ in 1...3 {
      var elements = (0..<1000).map { _ in Element() }
      let addresses = elements.map { Unmanaged.passUnretained($0).toOpaque() }
      last = elements.last
      for address in addresses + addresses { cl_hand_drain_add(peer, address) }
      elements = []
      #expect(last != nil)
      delivered.expect(1000)
      cl_uv_loop_run(UnsafeMutableRawPointer(peer))
      #expect(delivered.addresses == addresses)
      #expect(last == nil)
    }
  }

  @Test("every object that another thread queues is delivered once")
  func drainAcross() throws {
    let finish = CompletionCounter()
    let peer = try #require(cl_uv_drain_open(5000, 5000, finish.pointer))
    let loop = UnsafeMutableRawPointer(peer)
    defer { cl_uv_loop_close(loop) }
    finish.stops(cl_uv_loop_stop, loop)
    let shared = UnsafeTransfer(peer)
    for _ in 1...3 {
      finish.reset(target: 5000)
      let elapsed = try PostBurst.nanoseconds(producerCPU: nil, finish: finish) {
        cl_uv_drain_add(shared.value, true)
      } runLoop: {
        cl_uv_loop_run(loop)
      }
      #expect(finish.ran == 5000 && elapsed > 0)
    }
  }

  @Test("the queue by hand delivers each object that another thread queues, once and in order")
  func handDrainAcross() throws {
    final class Element {}
    let delivered = DeliveredObjects()
    let peer = try #require(delivered.open(count: 5000, batch: 5000))
    defer { cl_hand_drain_close(peer) }
    let elements = (0..<5000).map { _ in Element() }
    let addresses = elements.map { Unmanaged.passUnretained($0).toOpaque() }
    let shared = UnsafeTransfer((peer: peer, addresses: addresses))
    for _ in 1...3 {
      delivered.expect(5000)
      let elapsed = try PostBurst.nanoseconds(producerCPU: nil, finish: delivered.finish) {
        for address in shared.value.addresses { cl_hand_drain_send(shared.value.peer, address) }
      } runLoop: {
        cl_uv_loop_run(UnsafeMutableRawPointer(peer))
      }
      #expect(delivered.addresses == addresses && elapsed > 0)
    }
    withExtendedLifetime(elements) {}
  }

  @Test("the pool by hand makes urgent calls first, and the oldest call after 7 others")
  func handPool() throws {
    final class Made {
      var numbers: [Int] = []
    }
    struct Call {
      let number: Int
      let made: Made
    }
    let make: @convention(c) (UnsafeMutableRawPointer?) -> Void = {
      guard let call = $0?.assumingMemoryBound(to: Call.self).pointee else { return }
      call.made.numbers.append(call.number)
    }
    let pool = try #require(cl_hand_pool_open(1))
    defer { cl_hand_pool_close(pool) }
    let made = Made()
    let levels: [Int32] = [2, 1] + Array(repeating: 0, count: 18) + [2, 1]
    let calls = UnsafeMutablePointer<Call>.allocate(capacity: levels.count)
    defer {
      calls.deinitialize(count: levels.count)
      calls.deallocate()
    }
    for (number, level) in levels.enumerated() {
      (calls + number).initialize(to: Call(number: number, made: made))
      cl_hand_pool_add(pool, level, make, calls + number)
    }
    cl_hand_pool_end(pool)
    cl_hand_pool_run(pool)
    #expect(made.numbers == Array(2...8) + [0] + Array(9...15) + [1] + Array(16...19) + [21, 20])
  }

  @Test("a timer fires the given number of times, and never early")
  func timer() {
    var lateness = [Int64](repeating: -1, count: 5)
    let fired = cl_uv_timer_run(cl_now() + 1_234_567, 2_000_000, &lateness, 5)
    #expect(fired == 5)
    #expect(lateness.allSatisfy { $0 >= 0 })
  }

  @Test("a completion counter records the time of the step that reaches its target, and no other")
  func finish() {
    let finish = CompletionCounter()
    finish.reset(target: 2)
    cl_finish_step(finish.pointer)
    #expect(finish.finished == 0)
    cl_finish_step(finish.pointer)
    let finished = finish.finished
    #expect(finished > 0)
    cl_finish_step(finish.pointer)
    #expect(finish.finished == finished)
    #expect(finish.ran == 3)
  }
}

/// The objects that a queue by hand has delivered. The queue keeps no reference to it.
private final class DeliveredObjects {
  let finish = CompletionCounter()
  private(set) var addresses: [UnsafeMutableRawPointer] = []

  /// Opens a queue that delivers to this object, and that stops after the last one expected.
  func open(count: UInt32, batch: UInt32) -> OpaquePointer? {
    let context = Unmanaged.passUnretained(self).toOpaque()
    let peer = cl_hand_drain_open(
      count,
      batch,
      {
        guard let context = $1 else { return }
        let delivered = Unmanaged<DeliveredObjects>.fromOpaque(context).takeUnretainedValue()
        delivered.addresses.append($0)
        cl_finish_step(delivered.finish.pointer)
      },
      context
    )
    if let peer { finish.stops(cl_uv_loop_stop, UnsafeMutableRawPointer(peer)) }
    return peer
  }

  /// Forgets the objects, and expects `count` others.
  func expect(_ count: Int) {
    finish.reset(target: count)
    addresses = []
  }
}
