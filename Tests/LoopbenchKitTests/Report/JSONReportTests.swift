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
          "interval" : {
            "high" : 0.501021,
            "low" : 0.501021
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
          "series" : "one",
          "verdict" : "inconclusive"
        },
        {
          "difference" : {
            "high" : -500,
            "low" : -500,
            "median" : -500
          },
          "interval" : {
            "high" : 0.501992,
            "low" : 0.501992
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
          "series" : "one",
          "verdict" : "inconclusive"
        }
      ],
      "labels" : {

      },
      "machine" : {
        "build" : "release",
        "cpu" : "Abacus 9",
        "cpus" : 2,
        "libuv" : "1.44.2",
        "os" : "Linux 6.1 x86_64",
        "swift" : "6.3",
        "virtualization" : "KVM"
      },
      "noise" : [

      ],
      "results" : [
        {
          "count" : 5,
          "histogram" : {
            "pairs" : [
              [
                3304,
                2
              ],
              [
                3305,
                2
              ],
              [
                3306,
                1
              ]
            ],
            "subBits" : 8,
            "unit" : "ps"
          },
          "isTwin" : false,
          "kind" : "mean",
          "max" : 1004,
          "mean" : 1002,
          "min" : 1000,
          "missed" : 0,
          "peer" : "uv",
          "perRound" : [
            {
              "count" : 5,
              "cpuNs" : 500,
              "ctxInvoluntary" : 0,
              "ctxVoluntary" : 1,
              "isDisturbed" : false,
              "migrations" : 0,
              "percentiles" : {
                "50" : 1002.496,
                "90" : 1004,
                "99" : 1004,
                "99.9" : 1004,
                "max" : 1004
              },
              "round" : 1,
              "stealNs" : 0,
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
          "histogram" : {
            "pairs" : [
              [
                3048,
                1
              ],
              [
                3049,
                1
              ],
              [
                3050,
                1
              ],
              [
                3051,
                1
              ],
              [
                3052,
                1
              ]
            ],
            "subBits" : 8,
            "unit" : "ps"
          },
          "isTwin" : false,
          "kind" : "mean",
          "max" : 504,
          "mean" : 502,
          "min" : 500,
          "missed" : 0,
          "peer" : "lt",
          "perRound" : [
            {
              "count" : 5,
              "cpuNs" : 500,
              "ctxInvoluntary" : 0,
              "ctxVoluntary" : 1,
              "isDisturbed" : false,
              "migrations" : 0,
              "percentiles" : {
                "50" : 502.272,
                "90" : 504,
                "99" : 504,
                "99.9" : 504,
                "max" : 504
              },
              "round" : 1,
              "stealNs" : 0,
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
          "disturbed" : [

          ],
          "isDisturbed" : false,
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
        "dropsDisturbed" : false,
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
        "warmUp" : "one round, and the first batches of every slice",
        "warmUpRounds" : 1
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
