import CUV

/// A libuv handle in memory of its own, with the object its callbacks serve.
///
/// A handle must not move, and libuv reads it until its close callback ran, so
/// that callback frees it. Use on the loop's thread only.
package struct UVHandle<Raw> {
  let pointer: UnsafeMutablePointer<Raw>

  /// Allocates the handle and lets `start` initialise it.
  init(_ operation: String, _ start: (UnsafeMutablePointer<Raw>) -> Int32) throws(UVError) {
    pointer = .allocate(capacity: 1)
    let result = start(pointer)
    guard result == 0 else {
      pointer.deallocate()
      throw UVError(code: result, operation: operation)
    }
    base.pointee.data = nil
  }

  /// The handle as libuv's common type.
  var base: UnsafeMutablePointer<uv_handle_t> {
    address.assumingMemoryBound(to: uv_handle_t.self)
  }

  /// The handle's address.
  var address: UnsafeMutableRawPointer { UnsafeMutableRawPointer(pointer) }

  /// Lets callbacks find `owner`, which is not retained; nil ends that.
  func setOwner(_ owner: AnyObject?) {
    base.pointee.data = owner.map { Unmanaged.passUnretained($0).toOpaque() }
  }

  /// Whether `close` was called, by us or by whoever owns the loop.
  var isClosing: Bool { uv_is_closing(base) != 0 }

  /// Whether the loop's run waits for this handle.
  func keepsLoopAlive(_ yes: Bool) {
    if yes { uv_ref(base) } else { uv_unref(base) }
  }

  /// Closes the handle, unless somebody did, and frees it afterwards.
  func close() {
    setOwner(nil)
    guard !isClosing else { return }
    uv_close(base, freeHandle)
  }
}

/// The object that `setOwner` gave a handle, if it still has one.
@inline(__always)
package func owner<Owner: AnyObject, Raw>(
  of handle: UnsafeMutablePointer<Raw>?,
  as type: Owner.Type
) -> Owner? {
  unmanagedOwner(of: handle, as: type)?.takeUnretainedValue()
}

/// The object as above, without a hold of it.
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
  /// Ends the watching of `descriptor` in a child process, unless its poll is the
  /// parent's.
  func stopInChild(of loop: UVLoop, watching descriptor: Int32) {
    keepsLoopAlive(false)
    if !loop.sharesPoll(of: descriptor) { uv_poll_stop(pointer) }
  }
}

/// Ends the watching of a poll handle whose events nobody takes.
func stopWatching(_ handle: UnsafeMutablePointer<uv_poll_t>?) {
  if let handle { uv_poll_stop(handle) }
}

private func freeHandle(_ handle: UnsafeMutablePointer<uv_handle_t>?) {
  // Allocated by `UVHandle.init` with malloc's alignment, whatever its type.
  UnsafeMutableRawPointer(handle)?.deallocate()
}
