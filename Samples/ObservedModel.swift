// A transaction that is performed again when a property that it read from an
// @Observable model changes. It is performed once per tick, however many
// changes there were.
//
// Prints:
//   shows 1 of 10
//   shows 3 of 10

import LoopTransactions
import Observation

// snippet.footer
@Observable
final class Model {
  var page = 1
  var count = 10
  var secret = 0
}
// snippet.end

final class Footer {
  static let layout = Selector<Footer>.withObservation("layout") { footer in
    print("shows", footer.model.page, "of", footer.model.count)
  }
  let model: Model
  init(_ model: Model) { self.model = model }
}

let loop = try EventLoop()
let model = Model()
let footer = Footer(model)
loop.commit(footer, Footer.layout)
loop.run()
model.page = 2
model.page = 3
loop.run()
model.secret = 1  // `layout` did not read it, so nothing happens
loop.run()
try loop.close()
