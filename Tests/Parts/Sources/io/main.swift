import LoopTransactions
import LoopTransactionsIO

let loop = try EventLoop()
let listener = try loop.listen(on: .tcp(host: "127.0.0.1", port: 0)) { $0.close() }
listener.close()
loop.run()
try loop.close()
print("ok")
