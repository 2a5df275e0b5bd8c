package import CUV

/// A libuv handle in memory of its own, and a reference to its owner.
///
/// libuv reads a handle until its close callback has run. Until then the handle
/// must not move, so the close callback frees it. Loop thread only.
package struct UVHandle<Raw> {
  let pointer: UnsafeMutablePointer<Raw>

  /// Allocates the handle, and initialises it with `start`.
  init(
    _ operation: String,
    _ start: (UnsafeMutablePointer<Raw>) -> Int32
  ) throws(UVError) where Raw: UVHandleType {
    pointer = .allocate(size: uv_handle_size(Raw.type))
    let result = start(pointer)
    guard result == 0 else {
      pointer.deallocate()
      throw UVError(code: result, operation: operation)
    }
    base.pointee.data = nil
  }

  /// The handle as libuv's base type.
  var base: UnsafeMutablePointer<uv_handle_t> {
    address.assumingMemoryBound(to: uv_handle_t.self)
  }

  /// The address of the handle.
  var address: UnsafeMutableRawPointer { UnsafeMutableRawPointer(pointer) }

  /// Sets the object that callbacks get as their owner. It is not retained.
  func setOwner(_ owner: AnyObject?) {
    base.pointee.data = owner.map { UnsafeMutableRawPointer(addressOf: $0) }
  }

  /// Whether the handle was closed, by this library or by the loop's owner.
  var isClosing: Bool { uv_is_closing(base) != 0 }

  /// Sets whether the loop's run waits for this handle.
  func keepsLoopAlive(_ yes: Bool) {
    if yes { uv_ref(base) } else { uv_unref(base) }
  }

  /// Closes the handle, unless it is already closing. Its close callback frees
  /// it.
  func close() {
    setOwner(nil)
    guard !isClosing else { return }
    uv_close(base, freeHandle)
  }
}

extension UnsafeMutablePointer {
  /// Allocates an object of libuv that has `size` bytes in the libuv that is
  /// running.
  ///
  /// That libuv may be newer than the headers that the library was compiled with:
  /// inside Node.js, it is Node's.
  package static func allocate(size: Int) -> UnsafeMutablePointer {
    UnsafeMutableRawPointer.allocate(
      byteCount: Swift.max(size, MemoryLayout<Pointee>.size),
      alignment: MemoryLayout<Pointee>.alignment
    ).bindMemory(to: Pointee.self, capacity: 1)
  }
}

/// One of libuv's types of handles.
protocol UVHandleType { static var type: uv_handle_type { get } }

extension uv_async_t: UVHandleType { static var type: uv_handle_type { UV_ASYNC } }
extension uv_check_t: UVHandleType { static var type: uv_handle_type { UV_CHECK } }
extension uv_idle_t: UVHandleType { static var type: uv_handle_type { UV_IDLE } }
extension uv_poll_t: UVHandleType { static var type: uv_handle_type { UV_POLL } }
extension uv_prepare_t: UVHandleType { static var type: uv_handle_type { UV_PREPARE } }
extension uv_signal_t: UVHandleType { static var type: uv_handle_type { UV_SIGNAL } }
extension uv_timer_t: UVHandleType { static var type: uv_handle_type { UV_TIMER } }

/// Returns the object that `setOwner` set for a handle, if any.
package func owner<Owner: AnyObject, Raw>(
  of handle: UnsafeMutablePointer<Raw>?,
  as type: Owner.Type
) -> Owner? {
  unmanagedOwner(of: handle, as: type)?.takeUnretainedValue()
}

/// Returns the object that `setOwner` set for a handle, without retaining it.
func unmanagedOwner<Owner: AnyObject, Raw>(
  of handle: UnsafeMutablePointer<Raw>?,
  as type: Owner.Type
) -> Unmanaged<Owner>? {
  guard let handle else { return nil }
  let base = UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self)
  return base.pointee.data.map { .fromOpaque($0) }
}

extension UVHandle<uv_poll_t> {
  /// Stops polling `descriptor` in a child process, unless the child shares the
  /// kernel's poll with the parent.
  func stopInChild(of loop: UVLoop, watching descriptor: Int32) {
    stopInChild(sharesPoll: loop.sharesPoll(of: descriptor))
  }

  /// Stops polling in a child process, unless the child shares the kernel's
  /// poll with the parent.
  func stopInChild(sharesPoll: Bool) {
    keepsLoopAlive(false)
    if !sharesPoll { uv_poll_stop(pointer) }
  }
}

/// Stops a poll handle that has no owner to handle its events.
func stopWatching(_ handle: UnsafeMutablePointer<uv_poll_t>?) {
  if let handle { uv_poll_stop(handle) }
}

private func freeHandle(_ handle: UnsafeMutablePointer<uv_handle_t>?) {
  // The handle's type does not matter, because `UVHandle.init` used malloc's
  // alignment for all types.
  UnsafeMutableRawPointer(handle)?.deallocate()
}

/// A `uv_timer_t`, in milliseconds of the loop's clock.
struct UVTimer {
  private let handle: UVHandle<uv_timer_t>

  /// Creates a timer whose callback gets `owner`.
  init(loop: UVLoop, owner: AnyObject) {
    do {
      handle = try UVHandle("LoopTimer") { uv_timer_init(loop.pointer, $0) }
    } catch {
      // libuv documents no error here, because a timer is just a node in the
      // loop's heap.
      fatalError("\(error)")
    }
    handle.setOwner(owner)
  }

  /// Calls `fired` once, `timeout` milliseconds after the loop's current time.
  func start(timeout: UInt64, _ fired: TimerCallback) {
    uv_timer_start(handle.pointer, fired, timeout, 0)
  }

  /// Stops the timer until it is started again.
  func stop() { uv_timer_stop(handle.pointer) }

  /// Sets whether the loop's run waits for the timer.
  func keepsLoopAlive(_ yes: Bool) { handle.keepsLoopAlive(yes) }

  /// The address of the handle.
  var address: UnsafeMutableRawPointer { handle.address }

  /// Stops the timer. The loop's next tick frees it.
  func close() { handle.close() }
}

// Types of libuv's callbacks, so that other folders can define callbacks
// without importing libuv.

package typealias PrepareHandle = UnsafeMutablePointer<uv_prepare_t>
package typealias CheckHandle = UnsafeMutablePointer<uv_check_t>
package typealias PollHandle = UnsafeMutablePointer<uv_poll_t>
package typealias AsyncHandle = UnsafeMutablePointer<uv_async_t>
package typealias TimerHandle = UnsafeMutablePointer<uv_timer_t>
package typealias SignalHandle = UnsafeMutablePointer<uv_signal_t>

package typealias PrepareCallback = @convention(c) (PrepareHandle?) -> Void
package typealias CheckCallback = @convention(c) (CheckHandle?) -> Void
package typealias PollCallback =
  @convention(c) (PollHandle?, _ status: Int32, _ events: Int32) -> Void
package typealias AsyncCallback = @convention(c) (AsyncHandle?) -> Void
package typealias TimerCallback = @convention(c) (TimerHandle?) -> Void
package typealias SignalCallback = @convention(c) (SignalHandle?, _ signal: Int32) -> Void
