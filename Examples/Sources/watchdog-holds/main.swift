import CGTK
import Foundation
import LoopTransactions
import LoopTransactionsCSDL
import LoopTransactionsGLib
import LoopTransactionsSDL

// Holds a loop in nine ways, in one of four hosts, and compares the reports of a
// LoopWatchdog with the truth: the name of the work, the cause, the length, and the stack.
// Or runs a healthy loop, of which nothing may be reported but a lack of CPUs.

let usage = """
  usage: watchdog-holds (plain | gtk | sdl | executor) [ROUNDS]
         watchdog-holds healthy [SECONDS]
  """
let words = CommandLine.arguments.dropFirst()
guard let mode = words.first, words.count <= 2,
  let count = words.count == 2 ? Int(words[2]) : 20, count > 0
else { fail(usage, code: 2) }

switch mode {
case "plain": try runPlain()
case "gtk": try runInGTK()
case "sdl": try runInSDL()
case "executor": runOnActor()
case "healthy": try runHealthy()
default: fail(usage, code: 2)
}

/// Prints the results and ends the program.
@Sendable
func report(_ outcome: Lab.Outcome) -> Never {
  let results = outcome.results
  print("hold                      right  named  cause length  stack")
  for plant in Plant.allCases {
    let own = results.filter { $0.plant == plant }
    func count(_ test: (Lab.Result) -> Bool) -> String {
      "\(own.count(where: test))/\(own.count)"
    }
    let name = plant.rawValue.padding(toLength: 24, withPad: " ", startingAt: 0)
    let counts = [
      count(\.isRight), count(\.isNamed), count(\.isClassified), count(\.isMeasured),
      count(\.hasStack),
    ]
    print(name + counts.map { String(repeating: " ", count: max(1, 7 - $0.count)) + $0 }.joined())
  }
  for result in results where !result.isRight {
    print("\(result.plant.rawValue):", result.description)
  }
  for report in outcome.unexpected { print("unexpected:", report) }
  let right = results.count(where: \.isRight)
  print("\(right) of \(results.count) right, \(outcome.unexpected.count) unexpected reports")
  // At most 5 of 720 may be wrong.
  exit(outcome.wrong * 144 <= results.count ? 0 : 1)
}

@MainActor
func runPlain() throws {
  let loop = try EventLoop()
  let lab = try Lab(on: loop, rounds: count) { report($0) }
  withExtendedLifetime(lab) { _ = loop.run() }
}

@MainActor
func runInGTK() throws {
  guard gtk_init_check() != 0, let window = gtk_window_new() else {
    fail("cannot open the display")
  }
  gtk_window_present(window)
  let loop = try EventLoop()
  let host = GLibHost(loop)
  let lab = try Lab(on: loop, rounds: count) { report($0) }
  withExtendedLifetime((host, lab)) { g_main_loop_run(g_main_loop_new(nil, 0)) }
}

@MainActor
func runInSDL() throws {
  SDL_SetMainReady()
  guard SDL_Init(SDL_INIT_VIDEO) == 0 else { fail("SDL_Init: \(String(cString: SDL_GetError()))") }
  let loop = try EventLoop()
  let host = try SDLHost(loop)
  let lab = try Lab(on: loop, rounds: count) { report($0) }
  var event = SDL_Event()
  withExtendedLifetime(lab) { while SDL_WaitEvent(&event) != 0 { _ = host.serve(event.type) } }
}

/// Runs the loop on an actor, whose turns change threads.
actor Stage {
  private var host: ExecutorHost?

  func start(rounds: Int) async throws {
    host = try await .make(on: HostExecutor(self)) { loop in
      _ = try Lab(on: loop, rounds: rounds) { report($0) }
    }
  }
}

@MainActor
func runOnActor() -> Never {
  let stage = Stage()
  Task { [count] in
    do { try await stage.start(rounds: count) } catch { fail("\(error)") }
  }
  dispatchMain()
}

@MainActor
func runHealthy() throws {
  let reports = try HealthyLoop(on: EventLoop()).run(for: .seconds(count))
  for report in reports { print("\(report); stack:\n\(report.stackDescription())") }
  let others = reports.filter { $0.cause != .notScheduled }
  print("\(reports.count) reports in \(count) s, \(others.count) of them other than not scheduled")
  exit(others.isEmpty ? 0 : 1)
}
