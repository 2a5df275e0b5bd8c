import LoopbenchKit
import Testing

@Suite("FailRule")
struct FailRuleTests {
  @Test("a rule can limit the increase of a percentile")
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
    "a rule can limit a percentile by a time",
    arguments: [("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9)]
  )
  func time(unit: String, size: Double) throws {
    #expect(try FailRule("wake.p50>2.5\(unit)").limit == .time(2.5 * size))
  }

  @Test("`any` covers every percentile, and the limit of `missed` is a count")
  func others() throws {
    #expect(try FailRule("any>+15%").percentiles == Percentile.standard)
    let missed = try FailRule("timer.missed>3")
    #expect(missed.metric == .missed)
    #expect(missed.limit == .count(3))
    #expect(missed.percentiles == [])
  }

  @Test("a rule can name a scenario, a series that contains a point, and a peer")
  func scope() throws {
    #expect(try FailRule("wake.p50>25us").scope == ("wake", nil, nil))
    #expect(try FailRule("post/typed.across.p99.9>+1%").scope == ("post", "typed.across", nil))
    #expect(try FailRule("post/typed.across.p99.9>+1%").metric == .percentile(.p999))
    #expect(try FailRule("*/*/lt.any>+1%").scope == (nil, nil, "lt"))
  }

  @Test(
    "the error for an invalid rule states the expected form",
    arguments: [
      ("p99", "expected METRIC>LIMIT"), ("", "expected METRIC>LIMIT"),
      ("p99>+1%>2", "expected METRIC>LIMIT"),
      ("p98>+10%", "p50, p90, p99, p99.9, max, any or missed"),
      ("wake>25us", "names no metric"),
      ("wake//lt.p50>1us", "SCENARIO/SERIES/PEER"), ("a/b/c/d.p50>1us", "SCENARIO/SERIES/PEER"),
      ("p99>10%", "expected +10%"), ("p99>25", "or a time (25us)"),
      ("p99>-5us", "or a time (25us)"), ("p99>infus", "or a time (25us)"),
      ("p99>us", "or a time (25us)"), ("p99>+%", "expected +10%"), ("p99>+1e3%", "expected +10%"),
      ("missed>+10%", "such as missed>0"), ("missed>-1", "such as missed>0"),
    ]
  )
  func refused(text: String, expected: String) {
    let error = #expect(throws: LoopbenchError.self) { try FailRule(text) }
    #expect(error?.description.hasPrefix("\"\(text)\" ") ?? false)
    #expect(error?.description.contains(expected) ?? false, "\(String(describing: error))")
  }

  @Test("the standard rules are equal to the rules parsed from their texts")
  func standard() throws {
    for rule in FailRule.standard {
      let read = try FailRule(rule.description)
      #expect(read.metric == rule.metric)
      #expect(read.limit == rule.limit)
    }
  }
}
