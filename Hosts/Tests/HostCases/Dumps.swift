import Dispatch

private struct Holder {
  let value: Any
}

/// Dumps a value alone and in a structure, on this thread and on another one, as a
/// failed expectation or a debugger does. Prints `name` afterwards.
@MainActor
public func dumpEverywhere(_ name: String, _ value: Any) {
  let holder = Holder(value: value)
  nonisolated(unsafe) let values: [Any] = [value, holder]
  let done = DispatchSemaphore(value: 0)
  dumpEach(values)
  Thread.start {
    dumpEach(values)
    done.signal()
  }
  done.wait()
  print(name)
}

private nonisolated func dumpEach(_ values: [Any]) {
  for value in values {
    var text = ""
    dump(value, to: &text)
    precondition(!text.isEmpty && !String(reflecting: value).isEmpty, "an empty dump")
  }
}
