import CCloses
import Foundation
import HostCases
import LoopTransactions
import LoopTransactionsCSDL
import LoopTransactionsSDL

final class SDL: TestedHost {
  private(set) var iterations = 0
  private var isRunning = false

  // Pushes an event that carries a closure.
  nonisolated let call: @Sendable (@escaping @Sendable () -> Void) -> Void
  let bodyType: UInt32

  init() {
    SDL_SetMainReady()
    guard SDL_Init(SDL_INIT_VIDEO | SDL_INIT_TIMER) == 0 else {
      fatalError(String(cString: SDL_GetError()))
    }
    let type = SDL_RegisterEvents(1)
    bodyType = type
    call = { body in
      var event = SDL_Event()
      event.user.type = type
      event.user.data1 = CalledOnce.pointer(to: body)
      SDL_PushEvent(&event)
    }
    // SDL waits for events of the window system only while it has a window.
    _ = SDL_CreateWindow("host", 0, 0, 64, 64, SDL_WINDOW_SHOWN.rawValue)
  }

  private var host: SDLHost?

  // SDL calls timers on a separate thread, so the timer pushes an event.
  func after(_ milliseconds: Int, _ body: @escaping @Sendable () -> Void) {
    let call = call
    let context = CalledOnce.pointer { call(body) }
    guard SDL_AddTimer(UInt32(milliseconds), timerFired, context) != 0 else {
      fatalError(String(cString: SDL_GetError()))
    }
  }

  func run() {
    isRunning = true
    var event = SDL_Event()
    while isRunning {
      guard SDL_WaitEvent(&event) != 0 else { fatalError(String(cString: SDL_GetError())) }
      iterations += 1
      react(to: event)
    }
  }

  func pollOnce() {
    var event = SDL_Event()
    while SDL_PollEvent(&event) != 0 { react(to: event) }
  }

  private func react(to event: SDL_Event) {
    if host?.serve(event.type) == true { return }
    if event.type == bodyType { CalledOnce.call(event.user.data1) }
  }

  func stop() { isRunning = false }

  func serve(_ loop: EventLoop) throws -> @MainActor () -> Void {
    let host = try SDLHost(loop)
    self.host = host
    return try servingMainQueue(on: loop) { host.cancel() }
  }
}

private func timerFired(_ interval: UInt32, _ context: UnsafeMutableRawPointer?) -> UInt32 {
  CalledOnce.call(context)
  return 0
}

/// Creates hosts while the system refuses their waiting thread.
@MainActor
func refused() throws {
  SDL_SetMainReady()
  guard SDL_Init(SDL_INIT_TIMER) == 0 else { fatalError(String(cString: SDL_GetError())) }
  let loop = try EventLoop()
  cc_refuse_threads(1)
  let (open, closes) = (try openDescriptors(), cc_closes_of_none())
  for _ in 0..<3 {
    do {
      _ = try SDLHost(loop)
    } catch {
      print(error)
    }
  }
  print("left open: \(try openDescriptors() - open), closed twice: \(cc_closes_of_none() - closes)")
  cc_refuse_threads(0)
  let host = try SDLHost(loop)
  host.cancel()
  try loop.close()
}

/// Dumps a value of each public type.
@MainActor
func dumped() throws {
  let loop = try EventLoop()
  let host = try SDLHost(loop)
  dumpEverywhere("SDLHost", host)
  let error = UVError(code: -1, operation: "sample")
  dumpEverywhere("SDLHost.SetupError", SDLHost.SetupError.system(error))
  host.cancel()
  try loop.close()
}

extension SDL {
  /// Prints whether a scheduler is interactive before and after events of SDL.
  func input() throws {
    let (loop, scheduler) = (try EventLoop(), OperationScheduler("input"))
    host = try SDLHost(loop, interactiveSchedulers: [scheduler])
    pollOnce()
    for type in [SDL_WINDOWEVENT, SDL_MOUSEWHEEL] {
      SDL_FlushEvents(SDL_WINDOWEVENT.rawValue, SDL_MULTIGESTURE.rawValue)
      var event = SDL_Event()
      event.type = type.rawValue
      SDL_PushEvent(&event)
      pollOnce()
      print("interactive \(scheduler.isInteractive)")
    }
    let timer = loop.addTimer(after: .milliseconds(10), every: .milliseconds(10)) { [self] _ in
      if !scheduler.isInteractive { MainActor.assumeIsolated { stop() } }
    }
    run()
    timer.cancel()
    print("interactive \(scheduler.isInteractive)")
    host?.cancel()
    try loop.close()
  }
}

func openDescriptors() throws -> Int {
  try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count
}

let sdl = SDL()
switch CommandLine.arguments.dropFirst().first {
case "refused": try refused()
case "dump": try dumped()
case "flushed": try sdl.flushed()
case "input": try sdl.input()
case "quit": try sdl.quit(isPending: false)
case "quitPending": try sdl.quit(isPending: true)
default: try runCase(on: sdl)
}
