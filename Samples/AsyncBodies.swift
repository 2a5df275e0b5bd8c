// Operations with async bodies, and a task that waits for their transaction
// without blocking the loop.
//
// Prints:
//   one
//   two
//   complete: true

import LoopTransactions

/// Something that an operation has to await.
actor Store {
  func title(_ number: Int) -> String { number == 1 ? "one" : "two" }
}

try EventLoop.runMain { loop in
  let store = Store()
  let transaction = AsyncTransaction(on: loop)
  for number in 1...2 {
    transaction.add { _ in
      await store.title(number)
    } completion: {
      print($0.value ?? "none")
    }
  }
  transaction.commit()
  Task { @MainActor in
    await transaction.completion
    print("complete:", transaction.state == .complete)
    EventLoop.current?.stop()
  }
}
