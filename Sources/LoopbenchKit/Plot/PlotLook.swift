/// What tells a curve from the others: a colour and a marker for each peer, a
/// dash for each report.
struct PlotLook: Equatable {
  let color: Int
  let dash: Int

  /// As many as there are colours. They are those of Okabe and Ito, which people
  /// who see few colours can tell apart; darker on white where they need it.
  static let colors = 8

  /// The style sheet's class.
  var colorClass: String { "c\(color % Self.colors)" }

  /// A dash pattern; a line without one is whole.
  var dashes: String? {
    switch dash {
    case 1: "7 3"
    case 2: "7 3 2 3"
    case 3: "2 3"
    default: nil
    }
  }

  /// After the last colour, a colour comes with another marker.
  var marker: Marker { Marker.allCases[color % Marker.allCases.count] }

  enum Marker: CaseIterable {
    case circle
    case square
    case triangle
    case diamond
    case cross
    case wedge
    case plus
  }

  /// One character for a terminal.
  func sign(isASCII: Bool) -> Character {
    let signs = Array(isASCII ? "o#^*xv+%&$" : "●■▲◆✕▼✚○□△◇")
    return signs[color % signs.count]
  }
}
