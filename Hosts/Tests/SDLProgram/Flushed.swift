import Dispatch
import LoopTransactions
import LoopTransactionsCSDL

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension SDL {
  /// Flushes SDL's queue while it contains one of the host's events, as a game may when
  /// its scene changes. No other event follows.
  func flushed() throws {
    // Kills the process if an event never arrives.
    alarm(60)
    let loop = try EventLoop()
    let end = try serve(loop)
    // The host's event type follows the program's own type.
    let (port, call, scene, bodyType) = (loop.port, call, Scene(), bodyType)
    let bound = LoopBound(loop, on: loop)

    call {
      bound.withValue { $0.commit(scene, Scene.change) }
      flush()
    }
    print("commit \(run(for: scene))")

    // The next event must be pushed immediately, and not at the thread's next
    // check.
    call {
      bound.withValue { $0.commit(scene, Scene.change) }
      print("next \(SDL_HasEvent(bodyType + 1) == SDL_TRUE)")
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

    // The timer is added in a turn. After the turn, the host's thread waits for the
    // timer, which is due after the last check of the earlier events.
    let turnType = bodyType + 1
    try port.post {
      let due = bound.withValue { $0.now.advanced(by: .milliseconds(300)) }
      try? bound.withValue { _ = try $0.addPreciseTimer(at: due) { _ in scene.change() } }
      call {
        for _ in 0..<1000 where SDL_HasEvent(turnType) == SDL_FALSE { usleep(1000) }
        flush()
      }
    }
    print("timer \(run(for: scene))")
    end()
    try loop.close()
  }

  /// Runs until `scene` changes, but at most for two seconds. Returns whether it
  /// changed.
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

/// Counts the changes that arrive although an event was lost.
private final class Scene: @unchecked Sendable {
  static let change = Selector<Scene>("change") { $0.change() }

  // @unchecked: used on the main thread only, where SDL and the loop make their
  // calls.
  var onChange: @MainActor () -> Void = {}
  var number = 0
  var changes = 0

  func change() {
    changes = number + 1
    MainActor.assumeIsolated { onChange() }
  }
}
