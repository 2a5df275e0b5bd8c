import CUV

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
    base.pointee.data = owner.map { Unmanaged.passUnretained($0).toOpaque() }
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
@inline(__always)
package func owner<Owner: AnyObject, Raw>(
  of handle: UnsafeMutablePointer<Raw>?,
  as type: Owner.Type
) -> Owner? {
  unmanagedOwner(of: handle, as: type)?.takeUnretainedValue()
}

/// Returns the object that `setOwner` set for a handle, without retaining it.
@inline(__always)
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
