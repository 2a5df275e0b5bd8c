/// The titles and sentences of cards in Latin script.
enum Sentences {
  /// Returns sentences about `scenery`.
  static func about(_ scenery: Scenery) -> [String] {
    switch scenery {
    case .mountains: mountains
    case .lake: lake
    case .coast: coast
    case .meadow: meadow
    case .forest: forest
    case .desert: desert
    }
  }

  /// Returns titles of 5 to 16 letters for pictures of `scenery`.
  static func titles(of scenery: Scenery) -> [String] {
    switch scenery {
    case .mountains: ["High peaks", "Summit ridge", "Mountain pass"]
    case .lake: ["Mountain lake", "Still water", "Lake shore", "Pines at a lake", "Far shore"]
    case .coast: ["Quiet bay", "The headland"]
    case .meadow: ["Green hills", "Long meadow", "Open pasture"]
    case .forest: ["Spruce forest", "Wooded ridges", "Pine wood", "Tall pines"]
    case .desert: ["Sand dunes", "Dry hills"]
    }
  }

  /// Sentences that fit every landscape. Several are short, so that texts can
  /// be filled up to their length.
  static let general = [
    "We left before sunrise.",
    "We met no other hikers.",
    "The light changed every minute.",
    "I waited an hour for this picture.",
    "By noon the haze had hidden everything.",
    "The map shows no name for this place.",
    "An old man told us which way to go.",
    "It was colder than it looks.",
    "We came back the next year and found it unchanged.",
    "A bell rang somewhere below, and then it was quiet again.",
  ]

  private static let mountains = [
    "The snow on the upper ridge never melts completely.",
    "Clouds came over the pass and filled the valley within minutes.",
    "From the hut it is four hours to the summit.",
    "Marmots whistled as we crossed the last slope of grass.",
    "The far range is already in another country.",
    "Loose stones made the descent slower than the climb.",
    "A single cairn marks the point where two trails meet.",
  ]

  private static let lake = [
    "The lake lay so still that the mountains stood in it upside down.",
    "A fisherman rowed out and broke the mirror.",
    "The water comes from the glacier and stays cold all summer.",
    "Pines grow down to the stones of the shore.",
    "Toward evening a breeze drew lines across the surface.",
    "There used to be a ferry to the other side.",
    "We heard a loon long before we saw it.",
  ]

  private static let coast = [
    "The tide had left a wide strip of wet sand.",
    "Fishing boats wait behind the headland until the wind turns.",
    "Gulls followed the last boat home.",
    "On clear days you can see the islands on the horizon.",
    "The path along the cliff is closed in winter.",
    "Salt had dried on every stone along the shore.",
    "The sun set straight into the sea.",
  ]

  private static let meadow = [
    "The grass is cut only once, after the flowers have seeded.",
    "Larks rose from the field and sang until we had passed.",
    "Behind the third hill begins the land of the next village.",
    "In June the slope is yellow with buttercups.",
    "Three old trees give the only shade for a mile.",
    "Cattle graze here until the first frost.",
    "A warm wind moved over the hills like a hand.",
  ]

  private static let forest = [
    "Fog hung between the trees until late in the morning.",
    "The oldest spruces here are more than three hundred years old.",
    "Moss covers the ground so thickly that steps make no sound.",
    "A woodpecker worked somewhere above us.",
    "The ridges fade one behind the other into the mist.",
    "After rain the whole forest smells of resin.",
    "Foresters count the deer every spring.",
  ]

  private static let desert = [
    "The wind moves these dunes a few metres every year.",
    "Before noon the shadows draw every ripple of the sand.",
    "Our tracks from the evening before were already gone.",
    "Water is two days away in either direction.",
    "At night the temperature falls below zero.",
    "The rocks glow for a moment after the sun has set.",
    "Only beetles had crossed the slope before us.",
  ]
}
