import CPeers
import LoopbenchKit

/// The reason why the peers in Rust cannot be opened; nil if they can.
private let missing =
  cp_rust_loop("cp_tokio") == nil
  ? "libloopbench_rust.so is not beside loopbench-peers; Peers/Rust/build makes it" : nil

struct TokioLoop: TableLoop {
  static let name = "tokio"
  static let summary =
    "Rust on tokio: boxed closures through mpsc::unbounded_channel to a current_thread runtime"
  static var unavailability: String? { missing }
  static var table: cp_loop { rustLoop("cp_tokio") }
  let loop: PeerPointer
}

/// A channel without a loop. It is a floor, as `cond` is.
struct CrossbeamQueue: TableLoop {
  static let name = "crossbeam"
  static let summary =
    "Rust on crossbeam: boxed closures through channel::unbounded to a thread; no loop: a floor"
  static var unavailability: String? { missing }
  static var table: cp_loop { rustLoop("cp_crossbeam") }
  let loop: PeerPointer
}

struct TokioPool: TablePool {
  static let name = "tokio"
  static let summary =
    "Rust on tokio: spawn on a multi_thread runtime, \(PoolLoad.workers) threads; no priorities"
  static var unavailability: String? { missing }
  static var table: cp_pool {
    guard let table = cp_rust_pool("cp_tokio_pool") else { preconditionFailure("no cp_tokio_pool") }
    return table.pointee
  }
  let pool: PeerPointer
}

/// The table of a loop. Call only if the library is there.
private func rustLoop(_ name: String) -> cp_loop {
  guard let table = cp_rust_loop(name) else { preconditionFailure("no \(name)") }
  return table.pointee
}
