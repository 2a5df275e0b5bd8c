private import CLoopbench
internal import Dispatch
import LoopTransactions
private import LoopTransactionsIO

extension Scenario {
  /// Answering messages that arrive at a descriptor.
  package static let io = Scenario(
    name: "io",
    summary: "answer bytes and messages that arrive at sockets; a sample is the mean of a batch",
    series: [
      Series(
        name: "byte",
        summary: "1000 bytes through a socket pair, each sent by the callback of the previous one",
        workload: Workload(warmUps: 2, samples: 30, operations: 1000)
      ),
      Series(
        name: "echo",
        summary: "one CPU: 200 round trips of 64 bytes over a TCP connection: ns per round trip",
        workload: Workload(warmUps: 2, samples: 20, operations: 200),
        placement: .same
      ),
      Series(
        name: "echo.many",
        summary: "the same over 32 connections, with a message in each at once: ns per message",
        workload: Workload(warmUps: 2, samples: 20, operations: 640),
        placement: .same
      ),
    ],
    references: ["uv", "epoll"],
    floors: ["epoll"],
    details: """
      In `byte`, the loop's own thread sends the bytes, so the descriptor is ready whenever the loop
      polls. No thread sleeps or is woken. An event is a poll, a callback, a read and a write.

        loop   poll ─ callback: read, write │ poll ─ callback: read, write │ …
        byte   ├────────────────────────────┤

      In `echo`, a client on another thread sends a message and sleeps until it is back. Both threads
      share one CPU and both use the loopback device. In `echo.many`, it sends a message over each
      connection before it waits for the first answer.

        client  send ─ (asleep) ─────────────────────── receive
        loop    (asleep in poll) ─ read ─ write ─ (asleep)
        echo    ├──────────────────────────────────────────────┤

      The kernel's part is the same for every peer and is most of the time. The system calls,
      allocations and instructions of an event are counted in docs/performance.md.
      """,
    isStandard: false
  )
}

/// The load of `io`, the same for every peer.
private final class IOLoad {
  let pointer: UnsafeMutablePointer<cl_io>

  private static let connections: [String: UInt32] = ["byte": 0, "echo": 1, "echo.many": 32]

  init(for slice: Slice) throws(PeerError) {
    guard let connections = Self.connections[slice.series] else { throw slice.unknownSeries }
    let batches = slice.workload.warmUps + slice.workload.samples
    guard
      let pointer = cl_io_open(connections, UInt32(batches), UInt32(slice.workload.operations))
    else { throw .noDescriptor }
    self.pointer = pointer
  }

  deinit {
    cl_io_close(pointer)
  }

  var hasConnections: Bool { pointer.pointee.connections > 0 }

  /// The descriptors to serve. They belong to the load.
  var descriptors: UnsafeBufferPointer<Int32> {
    UnsafeBufferPointer(start: pointer.pointee.servers, count: Int(pointer.pointee.count))
  }

  /// Sends the messages and records the times of their answers.
  ///
  /// - Parameter serve: Answers on the calling thread until every descriptor is at
  ///   its end.
  func measure(
    _ slice: inout Slice,
    serve: () throws(PeerError) -> Void
  ) throws(PeerError) {
    if hasConnections {
      let shared = UnsafeTransfer(pointer)
      let client = try PlacedThread(cpu: slice.seats.producer) { cl_io_send_all(shared.value) }
      try client.join { () throws(PeerError) in
        // A peer that failed leaves the client without an answer.
        defer { cl_io_give_up(pointer) }
        try serve()
      }
    } else {
      try serve()
    }
    try record(into: &slice)
  }

  private func record(into slice: inout Slice) throws(PeerError) {
    let (load, operations) = (pointer.pointee, slice.workload.operations)
    guard load.answered == load.total else {
      throw PeerError("only \(load.answered) of \(load.total) messages were answered")
    }
    // The first batch is part of the warm-up and also includes opening the peer.
    for index in slice.workload.warmUps..<slice.workload.warmUps + slice.workload.samples {
      let (began, ended) = (load.ended[index - 1], load.ended[index])
      slice.record(nanoseconds: Double(ended - began) / Double(operations))
      slice.note("batch of \(operations)", on: .loop, from: began, to: ended)
    }
  }
}

/// `io` in C.
struct CIO: FullPeer {
  let name: String
  let scenario = "io"
  let isReference = true
  let summary: String
  var unavailability: String?
  /// Serves a load until its descriptors are at their ends. Returns 0 on failure.
  fileprivate let serve: @Sendable @convention(c) (UnsafeMutablePointer<cl_io>) -> Int32
  fileprivate let failure: PeerError

  static let uv = CIO(
    name: "uv",
    summary: "C on libuv: uv_poll for the byte; uv_read_start and uv_try_write for connections",
    serve: cl_uv_io_serve,
    failure: .noLoop
  )

  /// Descriptors without a loop. It is the floor for loops that sleep in epoll.
  static let epoll = CIO(
    name: "epoll",
    summary: "C: epoll_wait, read and write; no loop: the floor",
    unavailability: cl_eventfd_wake.open == nil ? "epoll is Linux's" : nil,
    serve: cl_epoll_io_serve,
    failure: .noDescriptor
  )

  func measure(_ slice: inout Slice) throws(PeerError) {
    let load = try IOLoad(for: slice)
    try load.measure(&slice) { () throws(PeerError) in
      if serve(load.pointer) == 0 { throw failure }
    }
  }
}

/// `io` on an `EventLoop`.
struct LTIO: FullPeer {
  let name = "lt"
  let scenario = "io"
  let summary = "EventLoop.watch for the byte; a Connection's onRead and write for connections"

  func measure(_ slice: inout Slice) throws(PeerError) {
    let load = try IOLoad(for: slice)
    try EventLoop.measuring { (loop) throws(PeerError) in
      let ticks = LoopTicks(of: loop, for: slice)
      try load.measure(&slice) { () throws(PeerError) in
        do {
          for descriptor in load.descriptors {
            try load.hasConnections
              ? echo(descriptor, on: loop) : answer(descriptor, load.pointer, on: loop)
          }
        } catch {
          throw PeerError("\(error)")
        }
        loop.run()
      }
      ticks.note(in: &slice)
    }
  }

  private func answer(
    _ descriptor: Int32,
    _ load: UnsafeMutablePointer<cl_io>,
    on loop: EventLoop
  ) throws(UVError) {
    var watcher: DescriptorWatcher?
    watcher = try loop.watch(descriptor, for: .readable) { _ in
      if cl_io_answer(load, descriptor) == 0 { watcher?.cancel() }
    }
  }

  /// Echoes until the client's end, at which the connection closes itself.
  private func echo(_ descriptor: Int32, on loop: EventLoop) throws(UVError) {
    // Owns a duplicate. If there is none, libuv throws EBADF.
    let connection = try loop.connection(adopting: dup(descriptor))
    connection.onRead = { connection.write($0) }
  }
}

/// `io` with a dispatch source for each descriptor.
struct DispatchIO: FullPeer {
  let name = "dispatch"
  let scenario = "io"
  let isReference = true
  let summary = "a DispatchSourceRead for each socket, on a serial queue; read and write in C"
  let isStandard = false

  func measure(_ slice: inout Slice) throws(PeerError) {
    let load = try IOLoad(for: slice)
    let cpu = Int32(slice.seats.loop ?? -1)
    try load.measure(&slice) { () throws(PeerError) in
      let queue = DispatchQueue(label: "loopbench", qos: .userInitiated)
      let (ended, shared) = (Gate(), UnsafeTransfer(load.pointer))
      for descriptor in load.descriptors {
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        // Cancelling the source releases the handlers, which ends the reference cycle.
        source.setEventHandler {
          cl_thread_place(cpu)
          if cl_io_answer(shared.value, descriptor) == 0 { source.cancel() }
        }
        source.setCancelHandler { ended.pass() }
        source.activate()
      }
      for _ in load.descriptors { ended.wait() }
      queue.sync {}
    }
  }
}
