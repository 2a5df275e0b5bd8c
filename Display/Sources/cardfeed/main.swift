import CardFeed
import FeedWindow
import LoopTransactions

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

func fail(_ text: String, _ code: Int32) -> Never {
  let line = Array("cardfeed: \(text)\n".utf8)
  _ = line.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
  exit(code)
}

do {
  guard let options = try Options(CommandLine.arguments.dropFirst()) else {
    print(Options.help, terminator: "")
    exit(0)
  }
  let trace = try options.trace.map { path in
    (path, try LoopTrace(eventsPerThread: Options.eventsPerThread))
  }
  let loop = try EventLoop()
  do {
    if options.isHeadless {
      try HeadlessPlayer(options, on: loop).run()
    } else {
      let window = try Window(size: options.size, density: options.scale)
      try WindowPlayer(options.settings, on: loop, screen: window).run()
    }
  } catch {
    // try?: the first error is the error to report.
    try? loop.close()
    throw error
  }
  try loop.close()
  if let (path, trace) = trace {
    trace.stop()
    try trace.write(to: path)
  }
} catch let misuse as Options.Misuse {
  fail("\(misuse.text)\nTry cardfeed --help.", 2)
} catch let failure as Window.Failure {
  fail(failure.text, 1)
} catch {
  fail("\(error)", 1)
}
