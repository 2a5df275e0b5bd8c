import Foundation
import LoopTransactions

// Makes thumbnails of a folder's pictures, visible pictures first. The loop runs on the
// main thread, workers decode pictures, and a separate thread reads standard input.

let options: Options
let pictures: [Picture]
let loop: EventLoop
do {
  options = try Options(CommandLine.arguments.dropFirst())
  if options.wantsHelp {
    Console.printLine(Options.help)
    exit(0)
  }
  pictures = try Folder(options.folder).pictures()
  try options.check(count: pictures.count)
  try OutputFolder.prepare(options.out, for: options.folder)
  loop = try EventLoop()
} catch {
  Console.printError("\(error)")
  exit(2)
}

let album = Album(pictures, options, on: loop)
loop.waitsForPosts = true
Commands.read(for: album, by: loop.port)
album.begin()
loop.run()
Console.printLine("\(album.summary)")
let code: Int32 = album.summary.failed == 0 ? 0 : 1
// The loop stays open, and a command that is read now has no effect.
exit(code)
