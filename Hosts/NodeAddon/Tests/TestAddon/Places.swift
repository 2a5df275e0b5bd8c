// C9, L5. Work of each kind that begins in a callback of each kind of libuv's handles.
import CUV
import LoopTransactions
import LoopTransactionsNode

/// A handle that calls a closure from one callback of libuv, and then closes.
private final class Place {
  private let body: () -> Void
  // Larger than each type of handle.
  private let memory = UnsafeMutableRawPointer.allocate(byteCount: 512, alignment: 16)

  private init(_ body: @escaping () -> Void) { self.body = body }

  deinit { memory.deallocate() }

  /// Calls `body` from a callback of `name`. Returns false if there is no such callback.
  static func enter(_ name: String, of loop: EventLoop, _ body: @escaping () -> Void) -> Bool {
    let place = Place(body)
    let uv = loop.libuvLoop.assumingMemoryBound(to: uv_loop_t.self)
    switch name {
    case "idle":
      uv_idle_init(uv, place.handle())
      uv_idle_start(place.handle(), idleWasCalled)
    case "prepare":
      uv_prepare_init(uv, place.handle())
      uv_prepare_start(place.handle(), prepareWasCalled)
    case "check":
      uv_check_init(uv, place.handle())
      uv_check_start(place.handle(), checkWasCalled)
    case "async":
      uv_async_init(uv, place.handle(), asyncWasCalled)
      uv_async_send(place.handle())
    case "uv timer":
      uv_timer_init(uv, place.handle())
      uv_timer_start(place.handle(), timerWasCalled, 1, 0)
    case "close":
      uv_idle_init(uv, place.handle())
      uv_close(place.handle(), closingWasCalled)
    default: return false
    }
    // Released when the handle is closed.
    uv_handle_set_data(place.handle(), Unmanaged.passRetained(place).toOpaque())
    return true
  }

  private func handle<Handle>() -> UnsafeMutablePointer<Handle> {
    memory.assumingMemoryBound(to: Handle.self)
  }

  func callAndClose() {
    body()
    uv_close(handle(), placeWasClosed)
  }

  func callClosed() { body() }
}

private func place(of handle: UnsafeMutableRawPointer?) -> Unmanaged<Place>? {
  uv_handle_get_data(handle?.assumingMemoryBound(to: uv_handle_t.self)).map { .fromOpaque($0) }
}

private func called(_ handle: UnsafeMutableRawPointer?) {
  place(of: handle)?.takeUnretainedValue().callAndClose()
}

private func idleWasCalled(_ handle: UnsafeMutablePointer<uv_idle_t>?) { called(handle) }
private func prepareWasCalled(_ handle: UnsafeMutablePointer<uv_prepare_t>?) { called(handle) }
private func checkWasCalled(_ handle: UnsafeMutablePointer<uv_check_t>?) { called(handle) }
private func asyncWasCalled(_ handle: UnsafeMutablePointer<uv_async_t>?) { called(handle) }
private func timerWasCalled(_ handle: UnsafeMutablePointer<uv_timer_t>?) { called(handle) }

private func closingWasCalled(_ handle: UnsafeMutablePointer<uv_handle_t>?) {
  place(of: handle)?.takeRetainedValue().callClosed()
}

private func placeWasClosed(_ handle: UnsafeMutablePointer<uv_handle_t>?) {
  place(of: handle)?.release()
}

private final class Element {
  static let perform = Selector<Element>("perform") { $0.body() }

  let body: () -> Void

  init(_ body: @escaping () -> Void) { self.body = body }
}

func exportPlaces(on host: NodeHost) throws {
  let loop = host.loop
  let queue = RunLoopQueue<Element>(on: loop) { element, _ in element.body() }
  // Calls a function from a callback of libuv, or of this library.
  try host.export("enter") { arguments in
    let (place, function) = (try arguments.string(0), try arguments.function(1))
    let body = { function.notify() }
    switch place {
    case "transaction", "post", "element", "observer", "operation": try begin(place, body)
    case "lt timer": loop.addTimer(after: .milliseconds(1)) { _ in body() }
    default:
      guard Place.enter(place, of: loop, body) else { throw NodeError("no place \(place)") }
    }
    return .undefined
  }
  // Begins work that calls a function when it is performed.
  try host.export("begin") { arguments in
    let function = try arguments.function(1)
    try begin(try arguments.string(0)) { function.notify() }
    return .undefined
  }

  func begin(_ work: String, _ body: @escaping () -> Void) throws {
    switch work {
    case "transaction": loop.commit(Element(body), Element.perform)
    case "post": loop.post { body() }
    case "element": queue.enqueue(Element(body))
    case "observer":
      let observer = loop.addObserver(for: .beforeWaiting, repeats: false) { _ in body() }
      observer.isResting = true
      observer.hasPendingWork = true
    case "operation":
      let transaction = AsyncTransaction(on: loop)
      transaction.add { _ in
      } completion: { _ in
        body()
      }
      transaction.commit()
    default: throw NodeError("no work \(work)")
    }
  }
}
