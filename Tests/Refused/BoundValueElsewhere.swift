// Moves the value of a LoopBound out of its closure to another thread.
import LoopTransactions

final class Log { var lines: [String] = [] }

func allowed(_ bound: LoopBound<Log>, _ other: Log) -> Int {
  bound.withValue { log in
    log.lines.append("here")
    other.lines = log.lines
    return log.lines.count
  }
}

func refused(_ bound: LoopBound<Log>) {
  bound.withValue { log in
    let kept = log
    // error: passing closure as a 'sending' parameter
    _ = Task.detached { kept.lines.append("elsewhere") }
  }
  // error: returning task-isolated '$0'
  let log = bound.withValue { $0 }
  Task.detached { log.lines.append("elsewhere") }
}
