import LoopbenchKit
import Testing

@Suite("FailRule")
struct FailRuleTests {
  @Test("a percentile may be limited by a part of the base")
  func increase() throws {
    let rule = try FailRule("p99>+10%")
    #expect(rule.metric == .percentile(.p99))
    #expect(rule.limit == .increase(0.1))
    #expect(rule.scope == (nil, nil, nil))
    #expect(try FailRule("p99.9 > +2.5%").limit == .increase(0.025))
    #expect(try FailRule("p99.9>+1%").metric == .percentile(.p999))
    #expect(try FailRule("max>+1%").metric == .percentile(.max))
  }

  @Test(
    "a percentile may be limited by a time",
    arguments: [("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9)]
  )
  func time(unit: String, size: Double) throws {
    #expect(try FailRule("wake.p50>2.5\(unit)").limit == .time(2.5 * size))
  }

  @Test("any is every percentile, and missed is a count")
  func others() throws {
    #expect(try FailRule("any>+15%").percentiles == Percentile.standard)
    let missed = try FailRule("timer.missed>3")
    #expect(missed.metric == .missed)
    #expect(missed.limit == .count(3))
    #expect(missed.percentiles == [])
  }

  @Test("a scenario, a series with a point in it, and a peer may be named")
  func scope() throws {
    #expect(try FailRule("wake.p50>25us").scope == ("wake", nil, nil))
    #expect(try FailRule("post/typed.across.p99.9>+1%").scope == ("post", "typed.across", nil))
    #expect(try FailRule("post/typed.across.p99.9>+1%").metric == .percentile(.p999))
    #expect(try FailRule("*/*/lt.any>+1%").scope == (nil, nil, "lt"))
  }

  @Test(
    "what is no rule is refused, with what is expected",
    arguments: [
      ("p99", "it needs METRIC>LIMIT"), ("", "it needs METRIC>LIMIT"),
      ("p99>+1%>2", "it needs METRIC>LIMIT"),
      ("p98>+10%", "p50, p90, p99, p99.9, max, any or missed"),
      ("wake>25us", "names no metric"),
      ("wake//lt.p50>1us", "SCENARIO/SERIES/PEER"), ("a/b/c/d.p50>1us", "SCENARIO/SERIES/PEER"),
      ("p99>10%", "after \">\" goes +10%"), ("p99>25", "or a time (25us)"),
      ("p99>-5us", "or a time (25us)"), ("p99>infus", "or a time (25us)"),
      ("p99>us", "or a time (25us)"), ("p99>+%", "goes +10%"), ("p99>+1e3%", "goes +10%"),
      ("missed>+10%", "such as missed>0"), ("missed>-1", "such as missed>0"),
    ]
  )
  func refused(text: String, expected: String) {
    let error = #expect(throws: LoopbenchError.self) { try FailRule(text) }
    #expect(error?.description.hasPrefix("\"\(text)\" ") ?? false)
    #expect(error?.description.contains(expected) ?? false, "\(String(describing: error))")
  }

  @Test("the standard rules are what their text says")
  func standard() throws {
    for rule in FailRule.standard {
      let read = try FailRule(rule.description)
      #expect(read.metric == rule.metric)
      #expect(read.limit == rule.limit)
    }
  }
}
