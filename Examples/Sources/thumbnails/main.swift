import Foundation
import LoopTransactions

// Makes thumbnails of a folder's pictures, what is visible first. What it does on
// which thread: the loop is this one, pictures are decoded on workers, standard input
// is read on a thread of its own.

let options: Options
let pictures: [Picture]
do {
  options = try Options(CommandLine.arguments.dropFirst())
  if options.wantsHelp {
    Console.tell(Options.help)
    exit(0)
  }
  pictures = try Folder(options.folder).pictures()
  try options.check(count: pictures.count)
  try OutFolder.prepare(options.out, for: options.folder)
} catch {
  Console.complain("\(error)")
  exit(2)
}

let loop = try EventLoop()
let album = Album(pictures, options, on: loop)
loop.waitsForPosts = true
Commands.read(for: album, by: loop.port)
album.begin()
loop.run()
Console.tell("\(album.summary)")
let code: Int32 = album.summary.failed == 0 ? 0 : 1
// What standard input still says is refused from here on.
try loop.close()
exit(code)
