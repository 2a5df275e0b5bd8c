private import CLoopbench
import LoopTransactions

extension Scenario {
  /// Delivering queued objects to a handler in batches.
  package static let drain = Scenario(
    name: "drain",
    summary: "1000 objects queued on the loop's thread; a sample is ns per object, first to last",
    series: [
      Series(
        name: "batched",
        summary: "delivered 16 per tick",
        workload: Workload(warmUps: 10, samples: 50, operations: 1000)
      ),
      Series(
        name: "whole",
        summary: "delivered in one tick",
        workload: Workload(warmUps: 10, samples: 50, operations: 1000)
      ),
      Series(
        name: DrainLoad.across,
        summary: "100000 objects queued by a thread on another CPU: ns per object",
        workload: Workload(warmUps: 1, samples: 3, operations: 100_000),
        placement: .across,
        isStandard: false
      ),
    ],
    references: ["uv", "hand"],
    floors: ["hand"],
    details: """
      The loop's own thread queues 1000 objects. The loop delivers them to a function, 16 per tick
      (`batched`) or all in one tick (`whole`).

        loop   queue 1 … queue 1000 │ tick: 1 … 16 │ tick: 17 … 32 │ …  1000
                                      ├──────────────────────────────────────┤  divided by 1000

      With `batched` the loop can do other work between two ticks. The difference from `whole` is the
      cost of that. In `across` a thread on another CPU queues the objects to a sleeping loop, and a
      tick delivers all that it finds.

        producer   queue 1  queue 2  …  queue n
        loop       (asleep)    1 … k │ k + 1 … n
                   ├───────────────────────────┤  divided by n
      """
  )
}

/// The load that every `drain` peer measures.
package enum DrainLoad {
  /// The series in which another thread queues the objects.
  static let across = "across"

  /// The number of objects that a tick may deliver in `slice`.
  package static func batch(for slice: Slice) -> Int {
    slice.series == "batched" ? 16 : slice.workload.operations
  }
}

extension Slice {
  /// Measures a queue, in the same way for every peer.
  ///
  /// - Parameters:
  ///   - finish: Counts the delivered objects, and stops the loop.
  ///   - add: Queues all objects of a sample. If `isAcross`, the loop may run on another thread.
  fileprivate mutating func sampleQueue(
    to finish: CompletionCounter,
    add: @escaping @Sendable (_ isAcross: Bool) -> Void,
    runLoop: () -> Void
  ) throws(PeerError) {
    guard series != DrainLoad.across else {
      return try sampleBursts(
        of: workload.operations,
        to: finish,
        produce: { add(true) },
        runLoop: runLoop
      )
    }
    try sample(to: finish) { _ in
      add(false)
      runLoop()
    }
  }
}

/// `drain` in C on libuv.
struct UVDrain: FullPeer {
  let name = "uv"
  let scenario = "drain"
  let isReference = true
  let summary = "C on libuv: a linked list under uv_mutex, a flag in the object, drained in prepare"

  func measure(_ slice: inout Slice) throws(PeerError) {
    let finish = CompletionCounter()
    let (objects, batch) = (UInt32(slice.workload.operations), DrainLoad.batch(for: slice))
    guard let peer = cl_uv_drain_open(objects, UInt32(batch), finish.pointer) else { throw .noLoop }
    let (loop, shared) = (UnsafeMutableRawPointer(peer), UnsafeTransfer(peer))
    defer { cl_uv_loop_close(loop) }
    finish.stops(cl_uv_loop_stop, loop)
    try slice.sampleQueue(to: finish) {
      cl_uv_drain_add(shared.value, $0)
    } runLoop: {
      cl_uv_loop_run(loop)
    }
  }
}

/// `drain` by a `RunLoopQueue`.
struct LTDrain: FullPeer {
  let name = "lt"
  let scenario = "drain"
  let summary = "RunLoopQueue: exclusive, strong; its handler is called with each object"

  func measure(_ slice: inout Slice) throws(PeerError) {
    try EventLoop.measuring { (loop) throws(PeerError) in
      let ticks = LoopTicks(of: loop, for: slice)
      let finish = CompletionCounter(stop: EventLoop.stopFunction, context: loop.address)
      let objects = ObjectList(count: slice.workload.operations) { _ in Object() }
      let queue = RunLoopQueue<Object>(
        on: loop,
        batchSize: BatchSize(DrainLoad.batch(for: slice))
      ) { object, _ in
        cl_black_hole(Unmanaged.passUnretained(object).toOpaque())
        cl_finish_step(finish.pointer)
      }
      // A port in use keeps the loop waiting.
      let port = slice.series == DrainLoad.across ? loop.port : nil
      loop.waitsForPosts = port != nil
      let shared = UnsafeTransfer((objects: objects, queue: queue))
      try slice.sampleQueue(to: finish) { _ in
        shared.value.objects.forEach { shared.value.queue.enqueue($0) }
      } runLoop: {
        loop.run()
      }
      withExtendedLifetime(port) {}
      ticks.note(in: &slice)
    }
  }
}

/// `drain` by hand. It is the floor for queues that retain objects of any class.
struct HandDrain: FullPeer {
  let name = "hand"
  let scenario = "drain"
  let isReference = true
  let isStandard = false
  let summary =
    "C on libuv: a table of addresses under uv_mutex, retained objects, delivered in prepare: a floor"

  func measure(_ slice: inout Slice) throws(PeerError) {
    let objects = ObjectList(count: slice.workload.operations) { _ in Object() }
    let (finish, batch) = (CompletionCounter(), UInt32(DrainLoad.batch(for: slice)))
    let opened = cl_hand_drain_open(UInt32(objects.count), batch, Self.handler, finish.pointer)
    guard let peer = opened else { throw .noLoop }
    defer { cl_hand_drain_close(peer) }
    let loop = UnsafeMutableRawPointer(peer)
    finish.stops(cl_uv_loop_stop, loop)
    let shared = UnsafeTransfer((objects: objects, peer: peer))
    try slice.sampleQueue(to: finish) { isAcross in
      let peer = shared.value.peer
      shared.value.objects.forEach {
        let object = Unmanaged.passUnretained($0).toOpaque()
        if isAcross { cl_hand_drain_send(peer, object) } else { cl_hand_drain_add(peer, object) }
      }
    } runLoop: {
      cl_uv_loop_run(loop)
    }
  }

  private static let handler:
    @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer?) -> Void = {
      cl_black_hole($0)
      cl_finish_step($1)
    }
}

private final class Object {}
