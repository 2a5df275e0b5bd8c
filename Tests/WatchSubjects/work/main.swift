// usage: TRUTH=FILE work-plants ROUNDS MILLISECONDS
//        work-plants
//
// A program on LoopTransactions. Holds its loop with each kind of work, ROUNDS times, and
// writes the names of the work to TRUTH. ../README.md has the format. It computes in every
// first hold, and sleeps in every second one.
//
// Without TRUTH, it holds its loop once with each kind of work: it prints the name of the
// work and waits for a line of standard input.
import Glibc
import LoopTransactions

final class Label {
  static let layout = Selector<Label>("layout") { $0.layOut() }

  let layOut: () -> Void

  init(layOut: @escaping () -> Void) { self.layOut = layOut }
}

/// Loop only.
final class Plants {
  private let loop: EventLoop
  private let truth: UnsafeMutablePointer<FILE>?
  private let rounds: Int
  /// In ns.
  private let length: Int
  private var planted = 0
  private let readable = readableDescriptor()
  private var queue: RunLoopValueQueue<Int>?
  private var watcher: DescriptorWatcher?

  init(on loop: EventLoop, truth: String?, rounds: Int, milliseconds: Int) {
    (self.loop, self.rounds, length) = (loop, rounds, milliseconds * 1_000_000)
    self.truth = truth.flatMap { fopen($0, "a") }
  }

  func start() {
    if truth != nil {
      loop.addTimer(after: .milliseconds(5), every: .milliseconds(5)) { _ in self.noteTick() }
    }
    next()
  }

  private func next() {
    let plants = [
      post, timer, observer, element, transaction, completion, event, job, idleBlock,
    ]
    guard planted < plants.count * rounds else { return end() }
    loop.addTimer(after: .milliseconds(40)) { [self] _ in
      planted += 1
      plants[(planted - 1) / rounds]()
    }
  }

  private func end() {
    if let truth { fclose(truth) }
    loop.stop()
  }
}

// Each `hold` is on the line of the call that adds the work.
extension Plants {
  private func post() { loop.post { self.hold("post", #line) } }

  private func timer() {
    loop.addTimer(after: .milliseconds(2)) { _ in self.hold("timer", #line) }
  }

  private func observer() {
    loop.addObserver(for: .afterWaiting, repeats: false) { _ in self.hold("observer", #line) }
    loop.post {}
  }

  private func element() {
    let queue = RunLoopValueQueue<Int>(on: loop) { _, _ in self.hold("element", #line) }
    self.queue = queue
    queue.enqueue(1)
  }

  private func transaction() {
    let label = Label { self.hold("transaction Label.layout") }
    loop.commit(label, Label.layout)
  }

  private func completion() {
    let transaction = AsyncTransaction(on: loop, name: "index")
    transaction.add { _ in
    } completion: { _ in
      self.hold("completion index")
    }
    transaction.commit()
  }

  private func event() {
    // try?: the machine is out of descriptors, so the truth lacks these holds.
    watcher = try? loop.watch(readable, for: .readable) { _ in self.hold("event", #line) }
  }

  private func job() {
    nonisolated(unsafe) let plants = self
    Task.detached(executorPreference: loop.port) { plants.hold("job") }
  }

  private func idleBlock() { loop.whenIdle { self.hold("idleBlock", #line) } }
}

extension Plants {
  private func hold(_ kind: String, _ line: UInt) { hold("\(kind) main.swift:\(line)") }

  private func hold(_ name: String) {
    watcher?.cancel()
    watcher = nil
    if truth != nil {
      plant(name)
    } else {
      print(name)
      fflush(nil)
      _ = readLine()
    }
    next()
  }

  private func plant(_ name: String) {
    let sleeps = planted % 2 == 0
    let (queued, ran, began) = (queuedTime(), time(CLOCK_THREAD_CPUTIME_ID), now())
    if sleeps { usleep(UInt32(length / 1000)) } else { compute() }
    let fields = [
      "hold", String(name.prefix { $0 != " " }), "\(began)", "\(now())",
      "\(time(CLOCK_THREAD_CPUTIME_ID) - ran)", "\(queuedTime() - queued)",
      sleeps ? "blocked" : "running", name, sleeps ? "sleep" : "-",
    ]
    write(fields)
  }

  @inline(never)
  private func compute() {
    let end = now() + length
    while now() < end {}
  }

  private func noteTick() { write(["tick", "\(now())"]) }

  private func write(_ fields: [String]) {
    fputs(fields.joined(separator: "\t") + "\n", truth)
  }
}

private func now() -> Int { time(CLOCK_MONOTONIC) }

private func time(_ clock: clockid_t) -> Int {
  var time = timespec()
  clock_gettime(clock, &time)
  return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// A pipe with a byte in it.
private func readableDescriptor() -> Int32 {
  var ends: [Int32] = [-1, -1]
  pipe(&ends)
  write(ends[1], "x", 1)
  return ends[0]
}

/// The time for which this thread has waited for a CPU, in ns.
private func queuedTime() -> Int {
  guard let file = fopen("/proc/thread-self/schedstat", "r") else { return 0 }
  defer { fclose(file) }
  var text = [CChar](repeating: 0, count: 100)
  guard fgets(&text, Int32(text.count), file) != nil else { return 0 }
  let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
  let numbers = String(decoding: bytes, as: UTF8.self).split(separator: " ")
  return numbers.dropFirst().first.flatMap { Int($0) } ?? 0
}

let words = CommandLine.arguments.dropFirst().compactMap { Int($0) }
let path = getenv("TRUTH").map { String(cString: $0) }
guard path == nil ? words.isEmpty : words.count == 2 && words[0] > 0 else { exit(2) }
let loop = try EventLoop()
let plants = Plants(
  on: loop,
  truth: path,
  rounds: words.first ?? 1,
  milliseconds: words.last ?? 0
)
plants.start()
loop.run()
try loop.close()
