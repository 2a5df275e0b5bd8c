// Running a posted item on its loop.
extension PostedItem {
  /// Runs the item. Consumes it, except that a commit remains pending.
  @inline(__always)
  mutating func run(on loop: EventLoop) {
    if _fastPath(isPlacedClosure) { return claimClosure()() }
    switch kind {
    case Self.function:
      let function = unsafeBitCast(first, to: PostedFunction.self)
      function(UnsafeMutableRawPointer(bitPattern: second))
    case Self.closure: claimClosure()()
    case Self.call: runCall(on: loop)
    case Self.firstJob..<Self.portTransaction: runJob()
    case Self.portTransaction: loop.transactions.commitPosted(portTransaction: first, target: second)
    default: loop.transactions.commitPosted(selector: kind, target: first)
    }
  }

  /// The code that the item runs. X2.
  var owner: OwnerWord {
    if isPlacedClosure { return OwnerWord(.post, SourcePlace(word: kind)) }
    if isJob { return OwnerWord(.job) }
    return callPlace.map { OwnerWord(.post, $0) } ?? OwnerWord(.post)
  }

  private var callPlace: SourcePlace? {
    guard kind == Self.call, let object = UnsafeRawPointer(bitPattern: second) else { return nil }
    let call = Unmanaged<AnyObject>.fromOpaque(object).takeUnretainedValue()
    return (call as? any AwaitedCall)?.place
  }

  @inline(never)
  private func runCall(on loop: EventLoop) {
    guard let object = UnsafeRawPointer(bitPattern: second) else { return }
    let function = unsafeBitCast(first, to: PostedCall.self)
    function(Unmanaged.passUnretained(loop).toOpaque(), object)
    release(second)
  }
}
