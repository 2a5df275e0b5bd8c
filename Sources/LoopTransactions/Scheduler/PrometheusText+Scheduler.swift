extension PrometheusText {
  /// Adds a scheduler. Its samples have the label `scheduler`, and its waits the
  /// label `priority` with the number of the priority. Waits are left out unless
  /// the scheduler measured them.
  ///
  /// - Parameters:
  ///   - name: The value of the label `scheduler`.
  ///   - metrics: From `OperationScheduler.metrics`.
  /// - Precondition: No scheduler of this name was added before.
  /// - Complexity: O(n) in the schedulers added before.
  public mutating func add(_ name: String, _ metrics: SchedulerMetrics) {
    add("scheduler", name, Self.values(of: metrics) + Self.waits(of: metrics))
  }

  private static func values(of metrics: SchedulerMetrics) -> [Metric] {
    let values = [
      ("added_total", "counter", "Operations added.", "\(metrics.added)"),
      (
        "cancelled_total", "counter", "Operations cancelled before they ran.",
        "\(metrics.cancelled)"
      ),
      ("queued", "gauge", "Operations queued.", "\(metrics.queued)"),
      (
        "running", "gauge", "Operations that a worker took and that have not ended.",
        "\(metrics.running)"
      ),
      ("workers", "gauge", "Worker threads.", "\(metrics.workers)"),
      ("workers_awake", "gauge", "Workers that run or look for operations.", "\(metrics.awake)"),
    ]
    return values.map { name, type, help, value in
      Metric(name: "scheduler_\(name)", type: type, help: help, samples: [Sample(value: value)])
    }
  }

  private static func waits(of metrics: SchedulerMetrics) -> [Metric] {
    let sums = metrics.waits.flatMap { wait in
      let labels = labels(of: wait)
      return [
        Sample(suffix: "_sum", labels: labels, value: seconds(wait.total)),
        Sample(suffix: "_count", labels: labels, value: "\(wait.count)"),
      ]
    }
    let longest = metrics.waits.map {
      Sample(labels: labels(of: $0), value: seconds($0.longest))
    }
    return [
      Metric(
        name: "scheduler_wait_seconds",
        type: "summary",
        help: "Time for which operations waited for a worker.",
        samples: sums
      ),
      Metric(
        name: "scheduler_longest_wait_seconds",
        type: "gauge",
        help: "Longest time for which an operation waited for a worker.",
        samples: longest
      ),
    ]
  }

  private static func labels(of wait: SchedulerMetrics.Wait) -> String {
    ",priority=\"\(wait.priority.rawValue)\""
  }

  private static func seconds(_ nanoseconds: UInt64) -> String {
    seconds(.nanoseconds(Int64(clamping: nanoseconds)))
  }
}
