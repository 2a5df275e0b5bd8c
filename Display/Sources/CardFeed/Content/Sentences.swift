/// The sentences of cards.
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
    "Gulls followed the last boat into the harbour.",
    "On clear days you can see the islands on the horizon.",
    "The path along the cliff is closed in winter.",
    "Salt had dried on every railing along the quay.",
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

  /// Sentences in other scripts, which begin the texts of some cards.
  static let foreign: [Script: String] = [
    .greek: "Ο ήλιος ανέτειλε πίσω από το βουνό. Το φως έφτασε αργά στην κοιλάδα.",
    .cyrillic: "Солнце поднялось над рекой. Туман ещё лежал на воде, и было совсем тихо.",
    .armenian: "Արևը ծագեց լճի վրա։ Ջուրը հանգիստ էր, և լեռները արտացոլվում էին մեջը։",
    .georgian: "მზე ზღვიდან ამოვიდა. ნაპირზე არავინ იყო, მხოლოდ ტალღების ხმა ისმოდა.",
    .hebrew: "השמש עלתה מעל המדבר. החול היה קר, והצללים היו ארוכים.",
    .arabic: "أشرقت الشمس فوق البحيرة. كان الماء هادئا، وانعكست الجبال فيه.",
    .devanagari: "सूरज पहाड़ों के पीछे से निकला। झील का पानी शांत था और बर्फ चमक रही थी।",
    .han: "太阳从山后升起。湖水平静，远山倒映在水中。",
    .kana: "山のうしろから日がのぼりました。森はしずかで、鳥の声だけがきこえました。",
    .hangul: "산 너머로 해가 떠올랐다. 들판은 고요했고 풀잎에 이슬이 맺혀 있었다.",
    .emoji: "The forecast promised 🌤️ and we got 🌧️. At last the 🌊 was calm and the 🌲 were dry.",
  ]
}
