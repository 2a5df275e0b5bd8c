// Reads the value of a LoopBound without a closure, although it is not
// Sendable.
import LoopTransactions

final class Log {}

func allowed(_ loop: EventLoop) -> Int { LoopBound(1, on: loop).value }

func refused(_ log: Log, _ loop: EventLoop) {
  // error: does not conform to the 'Sendable' protocol
  _ = LoopBound(log, on: loop).value
}
