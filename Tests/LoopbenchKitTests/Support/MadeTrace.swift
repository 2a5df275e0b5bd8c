import Foundation
import LoopbenchKit

/// A small trace with every kind of event, in the format of `LoopTrace`.
enum MadeTrace {
  /// A name that would end a script element of the page.
  static let hostile = "</script><b>&\"\u{2028}"

  static let events = [
    #"{"ph":"M","name":"process_name","args":{"name":"LoopTransactions"},"pid":7,"tid":0,"ts":0}"#,
    #"{"ph":"M","name":"thread_name","args":{"name":"main"},"pid":7,"tid":1,"ts":0}"#,
    #"{"ph":"B","cat":"tick","name":"tick","pid":7,"tid":1,"ts":1.000}"#,
    #"{"ph":"B","cat":"flush","name":"flush","pid":7,"tid":1,"ts":1.500}"#,
    #"{"ph":"B","cat":"transaction","name":"layout","pid":7,"tid":1,"ts":2.000}"#,
    #"{"ph":"s","id":1,"cat":"add","name":"add","pid":7,"tid":1,"ts":2.500}"#,
    #"{"ph":"B","cat":"observer","name":"</script><b>&\"\u2028","pid":7,"tid":1,"ts":3.000}"#,
    #"{"ph":"E","pid":7,"tid":1,"ts":3.250}"#,
    #"{"ph":"E","pid":7,"tid":1,"ts":8.000}"#,
    #"{"ph":"E","pid":7,"tid":1,"ts":8.125}"#,
    #"{"ph":"i","s":"t","cat":"mark","name":"laid out","pid":7,"tid":1,"ts":8.500}"#,
    #"{"ph":"E","pid":7,"tid":1,"ts":9.000}"#,
    #"{"ph":"B","cat":"tick","name":"tick","pid":7,"tid":1,"ts":40.000}"#,
    #"{"ph":"B","cat":"completion","name":"decode","pid":7,"tid":1,"ts":41.000}"#,
    #"{"ph":"f","id":1,"cat":"add","name":"add","bp":"e","pid":7,"tid":1,"ts":41.000}"#,
    #"{"ph":"E","pid":7,"tid":1,"ts":42.000}"#,
    #"{"ph":"E","pid":7,"tid":1,"ts":43.000}"#,
    #"{"ph":"M","name":"thread_name","args":{"name":"worker"},"pid":7,"tid":2,"ts":0}"#,
    #"{"ph":"B","cat":"operation","name":"decode","pid":7,"tid":2,"ts":10.000}"#,
    #"{"ph":"t","id":1,"cat":"add","name":"add","pid":7,"tid":2,"ts":10.000}"#,
    #"{"ph":"E","pid":7,"tid":2,"ts":39.000}"#,
    #"{"ph":"C","name":"pictures","args":{"queued":1,"workers":0},"pid":7,"ts":2.500}"#,
    #"{"ph":"C","name":"pictures","args":{"queued":0,"workers":1},"pid":7,"ts":10.000}"#,
  ]

  static func json(_ events: [String] = events, lost: Int = 0) -> String {
    """
    {"displayTimeUnit":"ns","otherData":{"overwrittenEvents":\(lost),"lacksThreads":\(lost > 0)},\
    "traceEvents":[\(events.joined(separator: ",\n"))]}
    """
  }

  static func timeline(_ text: String = json()) throws -> Timeline {
    try Timeline(Data(text.utf8), from: "t.json")
  }
}
