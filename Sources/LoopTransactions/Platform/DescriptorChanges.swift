import CUV

/// Reports changes of descriptors that have failed or hung up: a new error, a
/// new datagram, or the end of the hang-up.
///
/// Such a descriptor is ready without end, so the loop cannot poll it for
/// readiness. This is an edge-triggered epoll instance, which the loop polls.
/// Linux only.
struct DescriptorChanges {
  private let set: Int32
  private let handle: UVHandle<uv_poll_t>

  /// Calls `changed` for `owner`, which is not retained, when `take()` returns
  /// a descriptor. Does not keep the loop's run going.
  init(loop: UVLoop, owner: AnyObject, changed: PollCallback) throws(UVError) {
    let set = try check(lt_changes_open(), "EventLoop.watch")
    do {
      handle = try UVHandle("EventLoop.watch") { uv_poll_init(loop.pointer, $0, set) }
    } catch {
      lt_descriptor_close(set)
      throw error
    }
    self.set = set
    handle.setOwner(owner)
    handle.keepsLoopAlive(false)
    uv_poll_start(handle.pointer, Int32(UV_READABLE.rawValue), changed)
  }

  /// Adds `descriptor`, whose present state counts as a change. Returns false
  /// if the system refuses it.
  func add(_ descriptor: Int32) -> Bool { lt_changes_add(set, descriptor) == 0 }

  /// Removes `descriptor`, which may be closed.
  func remove(_ descriptor: Int32) { lt_changes_remove(set, descriptor) }

  /// Returns a descriptor that has changed since it was returned, if any.
  func take() -> Int32? {
    let taken = lt_changes_take(set)
    return taken >= 0 ? taken : nil
  }

  /// Sets whether the loop's run waits for a change.
  func keepsLoopAlive(_ yes: Bool) { handle.keepsLoopAlive(yes) }

  /// The address of the handle.
  var address: UnsafeMutableRawPointer { handle.address }

  /// Detaches the owner. The next change stops the poll.
  func detachOwner() { handle.setOwner(nil) }

  /// Stops polling in a child process, unless it shares the poll with the
  /// parent.
  func stopInChild(sharesPoll: Bool) { handle.stopInChild(sharesPoll: sharesPoll) }

  /// Closes the handle and the set.
  func close() {
    handle.close()
    lt_descriptor_close(set)
  }
}
