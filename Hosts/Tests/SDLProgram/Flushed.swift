import CSDL
import Dispatch
import LoopTransactions

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension SDL {
  /// Throws away what SDL has on its way, as a game does where its scene changes, each
  /// time with one of the host's events in it; nothing else happens after that.
  func flushed() throws {
    // It may wait for what never comes.
    alarm(60)
    let loop = try EventLoop()
    let end = try serve(loop)
    // The types of the host's events follow the program's own.
    let (port, call, scene, bodyType) = (loop.port, call, Scene(), bodyType)
    let bound = LoopBound(loop, on: loop)

    call {
      bound.withValue { $0.commit(scene, Scene.change) }
      flush()
    }
    print("commit \(run(for: scene))")

    // The next is on its way at once, not when the thread looks.
    call {
      bound.withValue { $0.commit(scene, Scene.change) }
      print("next \(SDL_HasEvent(bodyType + 2) == SDL_TRUE)")
    }
    print("commit \(run(for: scene))")

    call {
      let done = DispatchSemaphore(value: 0)
      DispatchQueue(label: "beside").async {
        try? port.post { scene.change() }
        done.signal()
      }
      done.wait()
      flush()
    }
    print("post \(run(for: scene))")

    // Set in a turn: the host's thread is told after it, and waits. Due when nobody looks
    // after the events of before any more.
    let waiterType = bodyType + 1
    try port.post {
      let due = bound.withValue { $0.now.advanced(by: .milliseconds(300)) }
      try? bound.withValue { _ = try $0.addPreciseTimer(at: due) { _ in scene.change() } }
      call {
        for _ in 0..<1000 where SDL_HasEvents(waiterType, waiterType) == SDL_FALSE { usleep(1000) }
        flush()
      }
    }
    print("timer \(run(for: scene))")
    end()
    try loop.close()
  }

  /// Runs until `scene` changes; two seconds at most. Whether it did.
  private func run(for scene: Scene) -> Bool {
    scene.onChange = { [self] in stop() }
    let number = scene.number
    after(2000) {
      if scene.number == number { MainActor.assumeIsolated { scene.onChange() } }
    }
    run()
    defer { scene.number += 1 }
    return scene.changes > number
  }
}

private func flush() { SDL_FlushEvents(SDL_FIRSTEVENT.rawValue, SDL_LASTEVENT.rawValue) }

/// What is to come although an event is lost.
private final class Scene: @unchecked Sendable {
  static let change = Selector<Scene>("change") { $0.change() }

  // @unchecked: of the main thread only, where SDL and the loop call.
  var onChange: @MainActor () -> Void = {}
  var number = 0
  var changes = 0

  func change() {
    changes = number + 1
    MainActor.assumeIsolated { onChange() }
  }
}
