import LoopTransactions
import Testing

@Suite("DescriptorInterest")
struct DescriptorInterestTests {
  @Test("an open descriptor reports the requested events that are ready")  // E1
  func open() {
    var interest = DescriptorInterest([.readable, .error])
    #expect(interest.wanted == .readable)
    expect(interest.receive(DescriptorReport(events: [.readable, .writable])), .readable)
    expect(interest.receive(DescriptorReport(events: .writable)), [])
    #expect(interest.polled == .readable)
  }

  @Test("each possible interest is notified of a final hang-up once")  // E1
  func hangUp() {
    for raw in UInt8(0)..<16 {
      let wanted = DescriptorEvents(rawValue: raw)
      var interest = DescriptorInterest(wanted)
      let report = DescriptorReport(events: wanted, stage: .hungUp)
      expect(interest.receive(report), wanted.isEmpty ? [] : wanted.union(.hangUp))
      #expect(interest.polled == [])
      expect(interest.receive(report), [])
    }
  }

  @Test("each possible interest is notified of an error once")  // E1
  func error() {
    for raw in UInt8(1)..<16 {
      var interest = DescriptorInterest(DescriptorEvents(rawValue: raw))
      let report = DescriptorReport(events: [], stage: .failed(isHungUp: true))
      let events = interest.receive(report)
      #expect(events.isSuperset(of: [.error, .hangUp]))
      expect(interest.receive(report), [])
      interest.resume()
      #expect(interest.polled.rawValue == raw)
    }
  }

  @Test("a reader gets unread data before the hang-up")  // E1
  func unread() {
    var interest = DescriptorInterest([.readable, .hangUp])
    let events: DescriptorEvents = [.readable, .hangUp]
    let data = DescriptorReport(events: events, stage: .hungUp, unread: 1)
    expect(interest.receive(data), .readable)
    expect(interest.receive(data), .readable)
    expect(interest.receive(DescriptorReport(events: events, stage: .hungUp)), events)
    #expect(interest.polled == [])
  }

  @Test("a half-close ends reading, but not writing")  // E1
  func halfClose() {
    var interest = DescriptorInterest([.readable, .writable, .hangUp])
    let data = DescriptorReport(
      events: [.readable, .hangUp],
      stage: .halfClosed,
      unread: 1
    )
    expect(interest.receive(data), [.readable, .hangUp])
    #expect(interest.polled == [.readable, .writable])
    let end = DescriptorReport(events: .readable, stage: .halfClosed)
    expect(interest.receive(end), [.readable, .hangUp])
    #expect(interest.polled == .writable)
    expect(interest.receive(end), [])
  }

  @Test("a different request resumes ended events, and an equal one does not")  // E1
  func resumed() {
    var interest = DescriptorInterest(.readable)
    _ = interest.receive(DescriptorReport(events: .readable, stage: .hungUp))
    let isSame = !interest.want([.readable, .error])
    #expect(isSame)
    #expect(interest.polled == [])
    let isDifferent = interest.want([.readable, .writable])
    #expect(isDifferent)
    #expect(interest.polled == [.readable, .writable])
  }
}

/// Compares two sets. A function, because an expectation cannot contain a
/// mutating call.
private func expect(
  _ events: DescriptorEvents,
  _ expected: DescriptorEvents,
  _ location: SourceLocation = #_sourceLocation
) {
  #expect(events == expected, sourceLocation: location)
}
