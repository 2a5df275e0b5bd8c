// Adopts a libuv loop that the host runs with `uv_run`. Transactions are performed
// in the host's ticks.
//
// Prints:
//   the host runs its loop
//   performed
//   the host has its loop back: true

import LoopTransactions

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

// The host, usually written in C. This program looks its functions up by name.
func libuv<Function>(_ name: String, as type: Function.Type) -> Function {
  unsafeBitCast(dlsym(dlopen(nil, RTLD_NOW), name), to: Function.self)
}
typealias Open = @convention(c) () -> UnsafeMutableRawPointer
typealias Run = @convention(c) (_ loop: UnsafeMutableRawPointer, _ mode: UInt32) -> Int32
typealias Close = @convention(c) (_ loop: UnsafeMutableRawPointer) -> Int32
let host = libuv("uv_default_loop", as: Open.self)()
let run = libuv("uv_run", as: Run.self)

final class Panel {}
let draw = Selector<Panel>("draw") { _ in print("performed") }

// snippet.adopt
let loop = try EventLoop(adopting: host)
loop.commit(Panel(), draw)
print("the host runs its loop")
_ = run(host, 0)
// snippet.end

try loop.close()  // before the host closes its loop
_ = run(host, 0)  // frees the handles
print("the host has its loop back:", libuv("uv_loop_close", as: Close.self)(host) == 0)
