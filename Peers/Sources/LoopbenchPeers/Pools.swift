import CPeers
import LoopTransactions
import LoopbenchKit

/// A pool in C++, described by a table of C functions.
protocol TablePool: FunctionPool {
  static var table: cp_pool { get }

  var pool: PeerPointer { get }

  init(pool: PeerPointer)
}

extension TablePool {
  static var poolSeries: [String] { ["empty"] }

  static func open() throws(PeerError) -> Self {
    guard let pool = table.open(UInt32(PoolLoad.workers)) else {
      throw PeerError("\(name) could not start its threads")
    }
    return Self(pool: PeerPointer(value: pool))
  }

  func add(_ call: PostedCall, _ priority: OperationPriority) {
    Self.table.add(pool.value, call.function, call.context, Int32(priority.rawValue))
  }

  func apply(_ count: Int, _ call: PostedCall) throws(PeerError) {
    guard let apply = Self.table.apply else {
      throw PeerError("\(Self.name) cannot share calls with the calling thread")
    }
    apply(pool.value, UInt32(count), call.function, call.context)
  }

  func close() { Self.table.close(pool.value) }
}

struct TBBPool: TablePool {
  static let name = "tbb"
  static let summary =
    """
    C++ on oneTBB: task_arena::enqueue to \(PoolLoad.workers) threads, an arena for each priority; \
    parallel_for
    """
  static var poolSeries: [String] { ["empty", "apply"] }
  static var table: cp_pool { cp_tbb }
  let pool: PeerPointer
}

struct TBBGroupPool: TablePool {
  static let name = "tbb.group"
  static let summary = "C++ on oneTBB: a task_group to which the caller adds a task for each call"
  static var poolSeries: [String] { ["apply"] }
  static var table: cp_pool { cp_tbb_group }
  let pool: PeerPointer
}

struct AsioPool: TablePool {
  static let name = "asio"
  static let summary =
    "C++ on Boost.Asio: boost::asio::post of a lambda to a thread_pool of \(PoolLoad.workers); no priorities"
  static var table: cp_pool { cp_asio_pool }
  let pool: PeerPointer
}
