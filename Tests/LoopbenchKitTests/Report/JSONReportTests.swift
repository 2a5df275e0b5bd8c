import FoundationEssentials
import LoopbenchKit
import Testing

@Suite("JSONReport")
struct JSONReportTests {
  @Test("the JSON of a known run is this JSON")
  func golden() throws {
    var fixture = Fixture()
    fixture.peers = [FakePeer(name: "uv", base: 1000), FakePeer(name: "lt", base: 500)]
    fixture.rounds = .fixed(1)
    #expect(JSONReport.render(try fixture.report()) == goldenJSON)
  }

  @Test("a report read back is the same report")
  func roundTrip() throws {
    let report = try Fixture().report()
    let json = JSONReport.render(report)
    #expect(try JSONDecoder().decode(Report.self, from: Data(json.utf8)) == report)
  }

  private let goldenJSON = """
    {
      "argv" : [
        "loopbench",
        "fake"
      ],
      "comparisons" : [
        {
          "difference" : {
            "high" : -500.224,
            "low" : -500.224,
            "median" : -500.224
          },
          "peer" : "lt",
          "percentile" : "50",
          "ratio" : {
            "high" : 0.501021,
            "low" : 0.501021,
            "median" : 0.501021
          },
          "reference" : "uv",
          "rounds" : 1,
          "scenario" : "fake",
          "series" : "one"
        },
        {
          "difference" : {
            "high" : -500,
            "low" : -500,
            "median" : -500
          },
          "peer" : "lt",
          "percentile" : "99",
          "ratio" : {
            "high" : 0.501992,
            "low" : 0.501992,
            "median" : 0.501992
          },
          "reference" : "uv",
          "rounds" : 1,
          "scenario" : "fake",
          "series" : "one"
        }
      ],
      "machine" : {
        "build" : "release",
        "cpu" : "Abacus 9",
        "cpus" : 2,
        "libuv" : "1.44.2",
        "os" : "Linux 6.1 x86_64",
        "swift" : "6.3",
        "virtualization" : "KVM"
      },
      "results" : [
        {
          "count" : 5,
          "max" : 1004,
          "mean" : 1002,
          "min" : 1000,
          "peer" : "uv",
          "perRound" : [
            {
              "count" : 5,
              "cpuNs" : 500,
              "ctxInvoluntary" : 0,
              "ctxVoluntary" : 1,
              "percentiles" : {
                "50" : 1002.496,
                "90" : 1004,
                "99" : 1004,
                "99.9" : 1004,
                "max" : 1004
              },
              "round" : 1,
              "wallNs" : 1000
            }
          ],
          "percentiles" : {
            "50" : 1002.496,
            "90" : 1004,
            "99" : 1004,
            "99.9" : 1004,
            "max" : 1004
          },
          "scenario" : "fake",
          "series" : "one",
          "stddev" : 1.581,
          "unit" : "ns"
        },
        {
          "count" : 5,
          "max" : 504,
          "mean" : 502,
          "min" : 500,
          "peer" : "lt",
          "perRound" : [
            {
              "count" : 5,
              "cpuNs" : 500,
              "ctxInvoluntary" : 0,
              "ctxVoluntary" : 1,
              "percentiles" : {
                "50" : 502.272,
                "90" : 504,
                "99" : 504,
                "99.9" : 504,
                "max" : 504
              },
              "round" : 1,
              "wallNs" : 1000
            }
          ],
          "percentiles" : {
            "50" : 502.272,
            "90" : 504,
            "99" : 504,
            "99.9" : 504,
            "max" : 504
          },
          "scenario" : "fake",
          "series" : "one",
          "stddev" : 1.581,
          "unit" : "ns"
        }
      ],
      "rounds" : [
        {
          "order" : [
            "fake/one/lt",
            "fake/one/uv"
          ],
          "round" : 1,
          "wallNs" : 5000
        }
      ],
      "schema" : "loopbench/1",
      "seed" : 7,
      "settings" : {
        "order" : "shuffle",
        "peers" : [
          "uv",
          "lt"
        ],
        "placement" : {
          "cpuCount" : 2
        },
        "rounds" : 1,
        "scenarios" : [
          "fake"
        ],
        "warmUp" : "one round, and the first batches of every slice"
      },
      "tool" : {
        "name" : "loopbench",
        "version" : "0.1.0"
      },
      "warnings" : [
        {
          "hint" : "use --rounds 10 or more",
          "id" : "few-rounds",
          "text" : "1 of at least 10 rounds: too few for a median of ratios"
        }
      ]
    }

    """
}
