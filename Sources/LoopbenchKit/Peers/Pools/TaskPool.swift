private import CLoopbench

/// Swift's own threads, and its priorities of tasks.
struct TaskPool: FunctionPool {
  static let name = "task"
  static let summary = "Task.detached with its priority, on as many threads as there are CPUs"
  static let poolSeries = ["empty"]

  static func open() -> TaskPool { TaskPool() }

  func add(
    _ function: @escaping PostedFunction,
    context: UnsafeMutableRawPointer?,
    _ urgency: Urgency
  ) {
    let shared = Shared(context)
    Task.detached(priority: TaskPriority(urgency)) {
      // Another peer may have placed the thread.
      cl_thread_place(-1)
      function(shared.value)
    }
  }
}

extension TaskPriority {
  fileprivate init(_ urgency: Urgency) {
    switch urgency {
    case .low: self = .low
    case .normal: self = .medium
    case .high: self = .high
    }
  }
}
