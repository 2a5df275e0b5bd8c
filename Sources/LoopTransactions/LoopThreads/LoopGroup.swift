import Synchronization

/// Threads with an event loop each: by default one per CPU.
///
/// Use it from any thread and any task.
///
/// ```swift
/// let group = try LoopGroup(name: "shard")
/// let reply = try await group.loop(for: session).run { loop in
///   store.load(session)
/// }
/// try await group.shutDown()
/// ```
///
/// An idle loop uses no CPU. Each loop has five descriptors and takes a few
/// dozen KiB of memory (docs/performance.md, "Memory and descriptors"). The
/// address space of each thread's stack, usually 8 MiB, is only reserved.
///
/// Keep a reference to the group while its loops are in use. Releasing the last
/// one stops the loops, and does not wait for their end.
///
/// The counterpart of `MultiThreadedEventLoopGroup` in SwiftNIO.
public final class LoopGroup: Sendable {
  /// The threads, in the order they are used.
  public let threads: [LoopThread]

  private let turn = Atomic<UInt>(0)

  /// Starts the threads. Returns when all loops accept work.
  ///
  /// Call from any thread. Blocks until the loops exist.
  ///
  /// - Parameters:
  ///   - name: The start of the threads' names; a hyphen and a number follow.
  ///     Linux shows 15 bytes of them, so 12 bytes leave room for the number.
  ///   - count: The number of threads. Defaults to one per CPU that this
  ///     process may use, by affinity and cgroup quota.
  /// - Throws: `UVError` if the system is out of threads, descriptors or
  ///   memory, or if `name` has a zero byte. The threads that were started have
  ///   then ended.
  /// - Precondition: `count` is greater than zero.
  public init(name: String = "loop", count: Int? = nil) throws(UVError) {
    let count = count ?? ActiveCores.count
    require(count > 0, "LoopGroup: count must be positive, got \(count); use nil for one per CPU")
    var threads: [LoopThread] = []
    for number in 0..<count {
      do throws(UVError) { threads.append(try LoopThread(name: "\(name)-\(number)")) } catch {
        // `try?`: the first error is the one to throw.
        try? Self.end(threads)
        throw error
      }
    }
    self.threads = threads
  }

  /// Returns the next thread in turn.
  ///
  /// Call from any thread. One atomic addition.
  public func next() -> LoopThread {
    // Relaxed: only the number is shared. Unsigned, so it may wrap around.
    let number = turn.wrappingAdd(1, ordering: .relaxed).oldValue
    return threads[Int(number % UInt(threads.count))]
  }

  /// Returns the thread for `key`. Equal keys have the same thread as long as
  /// the group exists.
  ///
  /// Call from any thread. Another run of the program may return a different
  /// thread, because Swift seeds hashes per process.
  ///
  /// - Complexity: O(1), plus the hash of `key`.
  public func loop(for key: some Hashable) -> LoopThread {
    threads[Int(UInt(bitPattern: key.hashValue) % UInt(threads.count))]
  }

  /// Runs `body` on each loop, one after the other.
  ///
  /// Call from any task. Ends with the first error.
  ///
  /// - Throws: The error of `body`. `LoopPort.PostError` if a loop is closed.
  public func forEach(_ body: @escaping @Sendable (EventLoop) throws -> Void) async throws {
    for thread in threads { try await thread.run(body) }
  }

  /// The counters of all loops, added up; `longestTick` is the longest of any
  /// loop.
  ///
  /// Call from any thread, also after the loops have ended. `busy` and `idle`
  /// of n loops add up to n seconds per second.
  public var metrics: LoopMetrics {
    threads.reduce(into: LoopMetrics()) { $0.add($1.port.metrics) }
  }

  /// The latencies of all loops, merged. Nil if no loop has recorded any.
  ///
  /// Call from any thread, also after the loops have ended. To record them:
  ///
  /// ```swift
  /// try await group.forEach { loop in loop.recordsLatencies = true }
  /// ```
  public var latencies: LoopLatencies? {
    threads.reduce(into: nil as LoopLatencies?) { merged, thread in
      guard let latencies = thread.port.latencies else { return }
      merged = merged ?? LoopLatencies()
      merged?.merge(latencies)
    }
  }

  /// Stops all loops, and blocks until they are closed and their threads have
  /// ended.
  ///
  /// Call from any thread except the loops', where it traps. Each loop performs
  /// everything that was handed over to it before this call. Loops end in any
  /// order: a post to a loop that has ended is refused. Every caller returns
  /// after the end. Does nothing in a forked child. On the thread of another
  /// loop, prefer to call it with await, as for `LoopThread.join()`.
  ///
  /// - Throws: The first error of `EventLoop.close()`, after all threads have
  ///   ended.
  public func shutDown() throws(UVError) {
    require(
      !threads.contains(where: \.isCurrent),
      """
      LoopGroup.shutDown: must not be called on a loop of the group; call it on another thread, or \
      with await
      """
    )
    try Self.end(threads)
  }

  /// Stops all loops, and waits until they are closed and their threads have
  /// ended.
  ///
  /// Call from any task. As the function that blocks, except that this does not
  /// block its thread while the loops run.
  ///
  /// - Throws: The first error of `EventLoop.close()`, after all threads have
  ///   ended.
  public func shutDown() async throws(UVError) {
    for thread in threads { thread.stop() }
    for thread in threads { await thread.ended() }
    // Blocks for a moment at most: the threads are returning.
    try Self.end(threads)
  }

  private static func end(_ threads: [LoopThread]) throws(UVError) {
    var first: UVError?
    for thread in threads { thread.stop() }
    for thread in threads {
      do throws(UVError) { try thread.join() } catch { first = first ?? error }
    }
    if let first { throw first }
  }
}
