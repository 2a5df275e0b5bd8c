import LoopTransactions
import Testing

@Suite("HostState")
struct HostStateTests {
  private func state(later: Bool = true, checks: Bool = false, owns: Bool = false) -> HostState {
    HostState(canExecuteLater: later, checksHost: checks, ownsLoop: owns)
  }

  // The threads of the test.
  private let host: UInt = 1
  private let poster: UInt = 2
  private let waiter: UInt = 3
  private let never = UInt64.max

  // A function, because #expect does not accept mutating calls.
  private func check<Value: Equatable>(
    _ value: Value,
    _ expected: Value,
    at location: SourceLocation = #_sourceLocation
  ) {
    #expect(value == expected, sourceLocation: location)
  }

  private func check(
    _ value: (HostState.Action, next: UInt64),
    _ expected: (HostState.Action, next: UInt64),
    at location: SourceLocation = #_sourceLocation
  ) {
    #expect(value == expected, sourceLocation: location)
  }

  @Test("requests hand over one turn, until it begins")  // C8
  func once() {
    var state = state()
    check(state.request(at: 0, by: poster), .execute(1))
    check(state.request(at: 0, by: poster), .none)
    check(state.didCall(1, isTaken: true, at: 0), .none)
    check(state.request(at: 0, by: host), .none)
    check(state.begin(1, at: 0, by: host), .turn)
    check(state.begin(1, at: 0, by: host), .ignored)
    check(state.end(timeout: never, at: 0, by: host), .watch(until: never))
    check(state.request(at: 0, by: poster), .execute(2))
  }

  @Test("a request during a turn hands over another turn")  // C8, L6
  func duringTurn() {
    var state = state()
    check(state.request(at: 0, by: poster), .execute(1))
    check(state.begin(1, at: 0, by: host), .turn)
    check(state.request(at: 0, by: poster), .none)
    check(state.end(timeout: never, at: 0, by: host), .execute(2))
    check(state.didCall(2, isTaken: true, at: 0), .none)
    check(state.begin(2, at: 0, by: host), .turn)
    check(state.end(timeout: never, at: 0, by: host), .watch(until: never))
  }

  @Test("a turn that leaves work goes behind the host's events")  // C8
  func leavesWork() {
    var state = state()
    check(state.request(at: 0, by: poster), .execute(1))
    check(state.begin(1, at: 0, by: host), .turn)
    check(state.end(timeout: 0, at: 1, by: host), .executeLater(2))
    check(state.didCall(2, isTaken: true, at: 1), .none)
    check(state.begin(2, at: 1, by: host), .turn)
    check(state.end(timeout: 5, at: 2, by: host), .watch(until: 7))
  }

  @Test("without executeLater, the waiter hands over a turn that left work, later")  // C8
  func delayed() {
    var state = state(later: false)
    check(state.request(at: 0, by: poster), .execute(1))
    check(state.begin(1, at: 0, by: host), .turn)
    let due = 10 + HostState.laterDelay
    check(state.end(timeout: 0, at: 10, by: host), .wait(until: due))
    check(state.request(at: 11, by: poster), .none)
    check(state.waiterCalled(isReadable: false, at: due - 1, by: waiter), (.none, next: due))
    check(state.waiterCalled(isReadable: true, at: due, by: waiter), (.execute(2), next: never))
  }

  @Test("turns in quick succession go behind the host's events after half a millisecond")  // C8
  func flood() {
    var state = state()
    var now: UInt64 = 1
    var number: UInt64 = 0
    var laters = 0
    for _ in 0..<100 {
      number += 1
      switch state.request(at: now, by: poster) {
      case .execute(number): break
      case .executeLater(number): laters += 1
      case let action: Issue.record("\(action)")
      }
      check(state.begin(number, at: now, by: host), .turn)
      now += 100_000
      check(state.end(timeout: never, at: now, by: host), .watch(until: never))
      now += HostState.pollGap
    }
    // 0.6 ms of turns precede each of them.
    #expect(laters == 16)
    now += 1
    for _ in 0..<100 {
      number += 1
      check(state.request(at: now, by: poster), .execute(number))
      check(state.begin(number, at: now, by: host), .turn)
      now += 100_000
      check(state.end(timeout: never, at: now, by: host), .watch(until: never))
      now += HostState.pollGap + 1
    }
  }

  @Test("at most half a millisecond of turns precedes a turn that does not go behind events")  // C8
  func burst() {
    for length in stride(from: UInt64(1_000), to: 4_000_000, by: 97_000) {
      var state = state()
      var (now, sum): (UInt64, UInt64) = (1, 0)
      for number in 1...50 as ClosedRange<UInt64> {
        let action = state.request(at: now, by: poster)
        if action == .executeLater(number) { sum = 0 } else { check(action, .execute(number)) }
        #expect(sum <= 500_000, "turns of \(length) ns")
        check(state.begin(number, at: now, by: host), .turn)
        now += length
        sum += length
        check(state.end(timeout: never, at: now, by: host), .watch(until: never))
      }
    }
  }

  @Test("without executeLater, turns in quick succession pause after half a millisecond")  // C8
  func floodDelayed() {
    var state = state(later: false)
    var now: UInt64 = 1
    var pauses = 0
    for number in 1...100 as ClosedRange<UInt64> {
      switch state.request(at: now, by: poster) {
      case .execute(number): break
      case .wait(let due):
        #expect(due == now + HostState.laterDelay)
        // More posts change nothing.
        check(state.request(at: now, by: poster), .none)
        check(state.waiterCalled(isReadable: true, at: due - 1, by: waiter), (.none, next: due))
        check(
          state.waiterCalled(isReadable: true, at: due, by: waiter),
          (.execute(number), next: .max)
        )
        pauses += 1
        now = due
      case let action: Issue.record("\(action)")
      }
      check(state.begin(number, at: now, by: host), .turn)
      now += 100_000
      check(state.end(timeout: never, at: now, by: host), .watch(until: never))
    }
    // 0.6 ms of turns precede each of them.
    #expect(pauses == 16)
  }

  @Test("a turn that is not taken, or is dropped, means that the host has ended")  // C8
  func refused() {
    var state = state()
    check(state.request(at: 0, by: poster), .execute(1))
    check(state.didCall(1, isTaken: false, at: 0), .refuse)
    #expect(state.isRefused)
    check(state.request(at: 0, by: poster), .refuse)

    state = self.state()
    check(state.request(at: 0, by: poster), .execute(1))
    check(state.didCall(1, isTaken: true, at: 0), .none)
    check(state.dropped(1), .refuse)

    // Dropped before `execute` returned.
    state = self.state()
    check(state.request(at: 0, by: poster), .execute(1))
    check(state.dropped(1), .none)
    #expect(!state.isRefused)
    check(state.didCall(1, isTaken: true, at: 0), .refuse)
  }

  @Test("releasing a turn that has begun, or that was handed over again, has no effect")  // C8
  func released() {
    var state = state(checks: true)
    check(state.request(at: 0, by: poster), .execute(1))
    check(state.didCall(1, isTaken: true, at: 0), .wait(until: HostState.checkInterval))
    let due = HostState.checkInterval
    check(state.waiterCalled(isReadable: false, at: due, by: waiter), (.check(1), next: never))
    check(state.didCheck(1, isHeld: true, at: due, by: waiter), .wait(until: 2 * due))
    check(state.waiterCalled(isReadable: false, at: 2 * due, by: waiter), (.check(1), next: never))
    check(state.didCheck(1, isHeld: false, at: 2 * due, by: waiter), .execute(2))
    check(state.dropped(1), .none)
    check(state.didCall(2, isTaken: true, at: 2 * due), .wait(until: 3 * due))
    check(state.begin(1, at: 2 * due, by: host), .ignored)
    check(state.begin(2, at: 2 * due, by: host), .turn)
    check(state.dropped(2), .none)
    check(state.end(timeout: never, at: 2 * due, by: host), .watch(until: never))
    #expect(!state.isRefused)
  }

  @Test("a turn that execute runs itself is handed over by the waiter")  // C8
  func inline() {
    var state = state()
    check(state.request(at: 5, by: host), .execute(1))
    check(state.begin(1, at: 5, by: host), .ignored)
    check(state.dropped(1), .none)
    check(state.didCall(1, isTaken: true, at: 6), .wait(until: 6))
    check(state.waiterCalled(isReadable: false, at: 7, by: waiter), (.execute(2), next: never))
    check(state.begin(2, at: 7, by: host), .turn)
  }

  @Test("a loop that the host owns is abandoned by the waiter, outside of a turn")  // C8
  func abandoned() {
    var state = state(checks: true, owns: true)
    check(state.request(at: 0, by: poster), .execute(1))
    check(state.didCall(1, isTaken: true, at: 0), .wait(until: HostState.checkInterval))
    let due = HostState.checkInterval
    check(state.waiterCalled(isReadable: false, at: due, by: waiter), (.check(1), next: never))
    check(state.didCheck(1, isHeld: false, at: due, by: waiter), .execute(2))
    // The host runs the turn while it refuses the next one.
    check(state.begin(2, at: due, by: host), .turn)
    check(state.didCall(2, isTaken: false, at: due), .refuse)
    check(state.waiterCalled(isReadable: false, at: due, by: waiter).0, .none)
    check(state.end(timeout: never, at: due, by: host), .wait(until: 0))
    check(state.waiterCalled(isReadable: false, at: due, by: waiter), (.abandon, next: never))
    check(state.waiterCalled(isReadable: false, at: due, by: waiter), (.none, next: never))
  }

  /// The events that a host can see.
  private enum Step: CaseIterable { case request, called, run, end, waiter, drop, close }

  @Test("in every order of six steps, a request is followed by a turn or by a refusal")  // C8, L6
  func everyOrder() {
    func visit(_ model: Model, _ steps: [Step]) {
      if !model.isSound { Issue.record("forgotten after \(steps)") }
      guard steps.count < 6, model.isSound else { return }
      for step in Step.allCases {
        var next = model
        if next.make(step) { visit(next, steps + [step]) }
      }
    }
    for later in [true, false] {
      visit(Model(state: state(later: later)), [])
    }
  }

  /// A host that runs turns, and the waiter.
  private struct Model {
    var state: HostState
    var now: UInt64 = 1
    // Calls that have not returned, turns that wait, and the waiter's deadline.
    var calls: [UInt64] = []
    var turns: [UInt64] = []
    var deadline = UInt64.max
    var isTurning = false
    var isRequested = false
    var isRefused = false

    /// A request is never forgotten: a turn waits, runs or is due.
    var isSound: Bool {
      !isRequested || isRefused || isTurning || !turns.isEmpty || !calls.isEmpty || deadline != .max
    }

    /// Returns false if the step is not possible.
    mutating func make(_ step: Step) -> Bool {
      now += 1
      switch step {
      case .request:
        isRequested = true
        perform(state.request(at: now, by: 2))
      case .close:
        isRequested = true
        perform(state.requestClose(at: now, by: 2))
      case .called:
        guard let number = calls.popLast() else { return false }
        perform(state.didCall(number, isTaken: true, at: now))
      case .run:
        guard let number = turns.popLast() else { return false }
        let beginning = state.begin(number, at: now, by: 1)
        if beginning != .ignored {
          isTurning = true
          isRequested = false
        }
        perform(state.dropped(number))
      case .end:
        guard isTurning else { return false }
        isTurning = false
        state.didTryToClose()
        perform(state.end(timeout: .max, at: now, by: 1))
      case .waiter:
        guard deadline != .max else { return false }
        now = max(now, deadline)
        deadline = .max
        let (action, next) = state.waiterCalled(isReadable: false, at: now, by: 3)
        perform(action)
        deadline = min(deadline, next)
      case .drop:
        guard let number = turns.popLast() else { return false }
        perform(state.dropped(number))
      }
      return true
    }

    private mutating func perform(_ action: HostState.Action) {
      switch action {
      case .none, .check, .abandon: break
      case .execute(let number), .executeLater(let number):
        calls.append(number)
        turns.append(number)
      case .wait(let time), .watch(let time): deadline = min(deadline, time)
      case .refuse: isRefused = true
      }
    }
  }
}
