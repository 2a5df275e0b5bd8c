/// A title and sentences about a scenery in another script. The sentences begin
/// the text of a card.
struct Translation {
  let title: String
  let sentences: String

  private init(_ title: String, _ sentences: String) {
    (self.title, self.sentences) = (title, sentences)
  }

  /// Returns the translations about `scenery`.
  static func of(_ scenery: Scenery) -> [Script: Translation] {
    switch scenery {
    case .mountains: mountains
    case .lake: lake
    case .coast: coast
    case .meadow: meadow
    case .forest: forest
    case .desert: desert
    }
  }

  private static let mountains: [Script: Translation] = [
    .devanagari: Translation(
      "हिमालय की चोटियाँ",
      "सूरज पहाड़ों के पीछे से निकला। घाटी शांत थी और बर्फ चमक रही थी।"
    )
  ]

  private static let lake: [Script: Translation] = [
    .greek: Translation(
      "Ήσυχη λίμνη",
      "Ο ήλιος ανέτειλε πίσω από το βουνό. Το φως έφτασε αργά στη λίμνη."
    ),
    .arabic: Translation(
      "بحيرة الجبال",
      "أشرقت الشمس فوق البحيرة. كان الماء هادئا، وانعكست الجبال فيه."
    ),
    .han: Translation("湖光山色之间", "太阳从山后升起。湖水平静，远山倒映在水中。"),
    .armenian: Translation(
      "Սևանա լիճ",
      "Արևը ծագեց լճի վրա։ Ջուրը հանգիստ էր, և լեռները արտացոլվում էին մեջը։"
    ),
  ]

  private static let coast: [Script: Translation] = [
    .georgian: Translation(
      "ზღვის პირი",
      "მზე ზღვიდან ამოვიდა. ნაპირზე არავინ იყო, მხოლოდ ტალღების ხმა ისმოდა."
    )
  ]

  private static let meadow: [Script: Translation] = [
    .hangul: Translation(
      "푸른 들판과 언덕",
      "산 너머로 해가 떠올랐다. 들판은 고요했고 풀잎에 이슬이 맺혀 있었다."
    )
  ]

  private static let forest: [Script: Translation] = [
    .cyrillic: Translation(
      "Тихий лес",
      "Солнце поднялось над лесом. Туман ещё лежал между холмами, и было совсем тихо."
    ),
    .kana: Translation(
      "しずかな森の中",
      "山のうしろから日がのぼりました。森はしずかで、鳥の声だけがきこえました。"
    ),
    .emoji: Translation(
      "Pines 🌲🌲🌲",
      "The forecast promised 🌤️ and we got 🌧️. At last the sky was clear and the 🌲 were dry."
    ),
  ]

  private static let desert: [Script: Translation] = [
    .hebrew: Translation(
      "חולות המדבר",
      "השמש עלתה מעל המדבר. החול היה קר, והצללים היו ארוכים."
    )
  ]
}
