import CPeers
import LoopbenchKit

/// A pointer to an object in C++. The table of its functions says which threads may use
/// it.
struct PeerPointer: @unchecked Sendable {
  // @unchecked: LoopbenchKit calls each function of a queue or a pool on the threads
  // that the protocol names. The table permits the same threads.
  let value: UnsafeMutableRawPointer
}

/// A loop in C++, described by a table of C functions.
protocol TableLoop: FunctionQueue {
  static var table: cp_loop { get }

  var loop: PeerPointer { get }

  init(loop: PeerPointer)
}

extension TableLoop {
  static var isStandard: Bool { true }

  static func open(cpu: Int?) throws(PeerError) -> Self {
    guard let loop = table.open() else { throw PeerError("\(name) could not open a loop") }
    return Self(loop: PeerPointer(value: loop))
  }

  func post(_ function: @escaping PostedFunction, context: PostedContext?) {
    Self.table.post(loop.value, function, context)
  }

  func post(_ count: Int, callsOf function: @escaping PostedFunction, context: PostedContext?) {
    Self.table.post_many(loop.value, UInt32(count), function, context)
  }

  func run() { Self.table.run(loop.value) }

  func stop() { Self.table.stop(loop.value) }

  func close() { Self.table.close(loop.value) }
}

struct AsioLoop: TableLoop {
  static let name = "asio"
  static let summary =
    "C++ on Boost.Asio: boost::asio::post of a lambda to an io_context of one thread"
  static var table: cp_loop { cp_asio }
  let loop: PeerPointer
}

struct LibeventLoop: TableLoop {
  static let name = "libevent"
  static let summary =
    "C++ on libevent: std::function in a vector under a mutex, event_active if it was empty"
  static var table: cp_loop { cp_libevent }
  let loop: PeerPointer
}

struct LibevLoop: TableLoop {
  static let name = "libev"
  static let summary =
    "C++ on libev: std::function in a vector under a mutex, ev_async_send if it was empty"
  static var table: cp_loop { cp_libev }
  let loop: PeerPointer
}

struct GLibLoop: TableLoop {
  static let name = "glib"
  static let summary =
    "C++ on GLib: an idle source of the default priority for each closure, g_source_attach"
  static var table: cp_loop { cp_glib }
  let loop: PeerPointer
}

/// libuv with a lock-free stack.
struct StackLoop: TableLoop {
  static let name = "uv.stack"
  static let summary =
    "C++ on libuv: a new node on a lock-free stack, uv_async_send if it was empty"
  static var table: cp_loop { cp_uv_stack }
  let loop: PeerPointer
}
