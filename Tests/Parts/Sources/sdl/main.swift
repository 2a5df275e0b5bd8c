import CSDL
import LoopTransactions
import LoopTransactionsSDL

guard SDL_Init(SDL_INIT_EVENTS) == 0 else { fatalError(String(cString: SDL_GetError())) }
let loop = try EventLoop()
let host = try SDLHost(loop)
var isDone = false
loop.addTimer(after: .milliseconds(10)) { _ in MainActor.assumeIsolated { isDone = true } }
var event = SDL_Event()
while !isDone, SDL_WaitEvent(&event) != 0 { _ = host.serve(event.type) }
host.cancel()
try loop.close()
SDL_Quit()
print("ok")
