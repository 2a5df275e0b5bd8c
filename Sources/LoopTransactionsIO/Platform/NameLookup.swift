import CUV
import LoopTransactions

/// The lookup of a connector's host on a thread of this library.
///
/// Not on libuv's threads: when a forked child exits, libuv waits for them there,
/// and the process crashes. And a loop that closes would wait for the lookup.
final class NameLookup: @unchecked Sendable {
  // @unchecked: `connector` and `operation` are accessed on the loop only. `status`
  // and `found` are written before the lookup is posted to the loop.

  // Not retained: the loop retains it until it calls `cancel()`.
  private weak var connector: Connector?
  private var operation: ScheduledOperation?
  private var status: Int32 = 0
  private var found: [SocketAddress] = []

  /// With permits of its own, so that lookups that wait for a server and
  /// operations do not delay each other.
  private static let scheduler = ProcessWide {
    OperationScheduler("name-lookup", workerLimit: limit, permits: WorkerPermits(limit: limit))
  }

  // A lookup that is not answered takes a thread for many seconds. Not measured.
  private static var limit: Int { 16 }

  /// Looks up `host`, and calls `connector.didLookUp` unless `cancel()` is called
  /// before. Keeps the loop running until then.
  init(_ host: String, port: Int, for connector: Connector) {
    self.connector = connector
    let core = connector.io.core
    connector.io.loop.hold()
    operation = Self.scheduler.value.add { [self] _ in
      run(host, port)
      // Refused only by a closed loop, whose connectors have ended.
      core.call(lookupDidEnd, with: self)
    }
  }

  private func run(_ host: String, _ port: Int) {
    var list: UnsafeMutablePointer<addrinfo>?
    status = host.withWholeCString { lt_look_up($0, Int32(port), &list) }
    guard status == 0 else { return }
    found = SocketAddress.all(of: list)
    freeaddrinfo(list)
  }

  fileprivate func didEnd() { connector?.didLookUp(status, found) }

  /// Ends the lookup, whose result is dropped. A thread that has started it stays
  /// busy until it ends.
  func cancel() {
    connector?.io.loop.endHold()
    connector = nil
    operation?.cancel()
  }
}

private func lookupDidEnd(_: UnsafeRawPointer, _ lookup: UnsafeRawPointer) {
  Unmanaged<NameLookup>.fromOpaque(lookup).takeUnretainedValue().didEnd()
}
