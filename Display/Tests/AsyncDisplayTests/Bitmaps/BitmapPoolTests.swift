@testable import AsyncDisplay
import LoopTransactions
import LoopTransactionsTesting
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite("BitmapPool")
struct BitmapPoolTests {
  // D8
  @Test("memory returns to the pool immediately and is zeroed when reused")
  func reuses() throws {
    let pool = BitmapPool(keepLimit: 1 << 20)
    let pixels = PixelSize(width: 64, height: 64)
    var first: Bitmap? = try Bitmap.draw(pixels, from: pool) { $0.fill(with: .white) }
    #expect(first?.firstPixel == 0xFFFF_FFFF)
    #expect(pool.metrics.lent == 1 && pool.metrics.keptBytes == 0)
    first = nil
    #expect(pool.metrics.lent == 0 && pool.metrics.keptBytes >= pixels.byteCount)
    let second = try Bitmap.draw(pixels, from: pool) { _ in }
    #expect(pool.metrics.reused == 1 && pool.metrics.allocated == 1)
    let isZero = second.withPixels { $0.allSatisfy { $0 == 0 } }
    #expect(isZero)
  }

  // D2, D8
  @Test("reused memory is zeroed in steps that can be cancelled")
  func cancelled() throws {
    let pool = BitmapPool(keepLimit: 1 << 23)
    let pixels = PixelSize(width: 1024, height: 1024)
    _ = try Bitmap.draw(pixels, from: pool) { $0.fill(with: .white) }
    var asked = 0
    func make(until last: Int) throws -> Bitmap {
      try Bitmap(pixels, scale: 1, from: pool) {
        asked += 1
        return asked == last
      }
    }
    #expect(throws: CancellationError.self) { try make(until: 3) }
    #expect(asked == 3 && pool.metrics.lent == 0 && pool.metrics.allocated == 1)
    asked = 0
    let isZero = try make(until: .max).withPixels { $0.allSatisfy { $0 == 0 } }
    #expect(isZero && asked == 16 && pool.metrics.reused == 2)
  }

  // D8
  @Test("the best-fitting memory is reused if it is at most a quarter too large")
  func bestFit() throws {
    let pool = BitmapPool()
    func draw(_ height: Int) throws -> Bitmap {
      try Bitmap.draw(PixelSize(width: 256, height: height), from: pool) { _ in }
    }
    var some = try [128, 160, 144, 64].map(draw)
    let sizes = some.map { $0.withPixels { UInt(bitPattern: $0.baseAddress) } }
    some = []
    func taken(_ height: Int) throws -> Int? {
      try sizes.firstIndex(of: draw(height).withPixels { UInt(bitPattern: $0.baseAddress) })
    }
    #expect(try taken(140) == 2 && taken(128) == 0 && taken(120) == 0 && taken(52) == 3)
    #expect(pool.metrics.allocated == 4)
    #expect(try taken(170) == nil && taken(40) == nil && pool.metrics.allocated == 6)
    #expect(pool.metrics.lentBytes == 0)
  }

  // D8
  @Test(
    "cached memory is bounded, the oldest block is freed first, and large blocks are not cached"
  )
  func bounded() throws {
    let pool = BitmapPool(keepLimit: 100_000)
    func draw(_ edge: Int) throws -> Bitmap {
      try Bitmap.draw(PixelSize(width: edge, height: edge), from: pool) { _ in }
    }
    var some = try [100, 120, 100].map(draw)
    some.removeAll()
    #expect(pool.metrics.keptBytes <= 100_000 && pool.metrics.keptBytes > 0)
    let kept = pool.metrics.keptBytes
    some = try [300].map(draw)
    some.removeAll()
    #expect(pool.metrics.keptBytes == kept)
    pool.trim()
    #expect(pool.metrics.keptBytes == 0 && pool.metrics.lentBytes == 0)
  }

  // D8
  @Test("a worker frees memory over the limit at low priority; at most twice the limit is cached")
  func trimmed() throws {
    let scheduler = OperationScheduler("bitmaps", workerLimit: 1)
    let pool = BitmapPool(keepLimit: 2 << 20, scheduler: scheduler)
    // Each bitmap takes 512 KiB.
    let pixels = PixelSize(width: 512, height: 256)
    func make(_ count: Int) throws -> [Bitmap] {
      try (0..<count).map { _ in try Bitmap.draw(pixels, from: pool) { _ in } }
    }
    func isTrimmed() -> Bool {
      let deadline = LoopClock.now.advanced(by: .seconds(20))
      while pool.metrics.keptBytes > 2 << 20, LoopClock.now < deadline {
        let turn = Gate()
        scheduler.add(priority: .background) { _ in turn.open() }
        turn.wait()
      }
      return pool.metrics.keptBytes == 2 << 20
    }
    let (gate, wentBefore) = (Gate(), Gate())
    scheduler.add(priority: .interactive) { _ in gate.wait() }
    var some = try make(12)
    some.removeAll()
    #expect(pool.metrics.keptBytes == 4 << 20)
    // Memory that waits to be freed can still be reused.
    some = try make(7)
    #expect(pool.metrics.keptBytes == 512 << 10 && pool.metrics.allocated == 12)
    some.removeAll()
    scheduler.add { _ in
      if pool.metrics.keptBytes == 4 << 20 { wentBefore.open() }
    }
    gate.open()
    #expect(wentBefore.wait())
    #expect(isTrimmed())
    // Repeats the check, because the operation that freed the memory has ended.
    some = try make(8)
    some.removeAll()
    #expect(isTrimmed())
    #expect(pool.metrics.lentBytes == 0)
  }

  // D8
  @Test("memory above the limit is evicted first, one block at a time, and evicts no smaller block")
  func large() throws {
    let scheduler = OperationScheduler("bitmaps", workerLimit: 1)
    let gate = Gate()
    scheduler.add(priority: .interactive) { _ in gate.wait() }
    let pool = BitmapPool(keepLimit: 2 << 20, scheduler: scheduler)
    func make(_ height: Int, _ count: Int) throws -> [Bitmap] {
      try (0..<count).map { _ in
        try Bitmap.draw(PixelSize(width: 512, height: height), from: pool) { _ in }
      }
    }
    var (small, large) = (try make(256, 3), try make(4096, 2))
    small.removeAll()
    large.removeAll()
    // The pool keeps three blocks of 512 KiB and one of the 8 MiB blocks.
    #expect(pool.metrics.keptBytes == 3 << 19 + 8 << 20)
    let done = Gate()
    for _ in 0..<2 { scheduler.add(priority: .background) { _ in } }
    scheduler.add(priority: .background) { _ in done.open() }
    gate.open()
    #expect(done.wait() && pool.metrics.keptBytes == 3 << 19)
    #expect(try make(256, 3).count == 3 && pool.metrics.allocated == 5)
  }

  // D8
  @Test("a forked child process releases a bitmap although it has no workers")
  func child() async {
    await #expect(processExitsWith: .success) {
      // Looked up by name, because Swift marks fork as unavailable.
      let symbol = try #require(dlsym(nil, "fork"))
      let fork = unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)
      let scheduler = OperationScheduler("bitmaps", workerLimit: 1)
      let pool = BitmapPool(keepLimit: 1 << 20, scheduler: scheduler)
      var bitmap: Bitmap? = try Bitmap.draw(PixelSize(width: 512, height: 1024), from: pool) { _ in
      }
      #expect(bitmap != nil)
      let child = fork()
      if child == 0 {
        bitmap = nil
        _exit(pool.metrics.keptBytes == 0 && pool.metrics.lent == 0 ? 0 : 1)
      }
      var status: Int32 = -1
      #expect(waitpid(child, &status, 0) == child && status == 0)
    }
  }

  // D8
  @Test("cached memory stays bounded for random allocations and releases", arguments: 0..<20)
  func random(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let limit = 1 << 20
    let isTrimmed = seed % 2 == 0
    let scheduler = isTrimmed ? OperationScheduler("bitmaps", workerLimit: 1) : nil
    let pool = BitmapPool(keepLimit: limit, scheduler: scheduler)
    let largest = PixelSize(width: 512, height: 2000).byteCount * 9 / 8
    var bitmaps: [Bitmap] = []
    for _ in 0..<2000 {
      switch generator.next() % 8 {
      case 0...3:
        let height = generator.next() % 20 == 0 ? 2000 : 1 + Int(generator.next() % 300)
        let pixels = PixelSize(width: 512, height: height)
        bitmaps.append(try Bitmap(pixels, scale: 1, from: pool) { false })
      case 4...6:
        if !bitmaps.isEmpty { bitmaps.remove(at: Int(generator.next() % UInt64(bitmaps.count))) }
      default:
        if generator.next() % 20 == 0 { bitmaps.removeAll() }
        if generator.next() % 40 == 0 { pool.trim() }
      }
      #expect(pool.metrics.keptBytes <= (isTrimmed ? 2 * limit + largest : limit))
      #expect(pool.metrics.lent == bitmaps.count)
    }
    let asked = bitmaps.reduce(0) { $0 + $1.pixels.byteCount }
    // Sizes are rounded up by an eighth, or to 4 KiB for the smallest bitmaps.
    // A reused block may be a quarter too large.
    #expect(pool.metrics.lentBytes <= asked * 45 / 32 + bitmaps.count * 4096)
    bitmaps.removeAll()
    #expect(pool.metrics.lentBytes == 0)
  }

  // D8
  @Test("a released pool frees its memory immediately, even with a trim scheduled")
  func gone() throws {
    let scheduler = OperationScheduler("bitmaps", workerLimit: 1)
    let gate = Gate()
    scheduler.add(priority: .interactive) { _ in gate.wait() }
    var pool: BitmapPool? = BitmapPool(keepLimit: 1 << 20, scheduler: scheduler)
    weak let watched = pool
    let pixels = PixelSize(width: 512, height: 512)
    for _ in 0..<2 {
      let bitmaps = try (0..<2).map { _ in
        try Bitmap.draw(pixels, from: #require(pool)) { _ in }
      }
      #expect(bitmaps.count == 2)
    }
    #expect(pool?.metrics.keptBytes == 2 << 20)
    pool = nil
    #expect(watched == nil)
    gate.open()
  }

  @Test("a drawing that throws returns its memory")
  func throwing() {
    struct Failure: Error {}
    let pool = BitmapPool(keepLimit: 0)
    #expect(throws: Failure.self) {
      try Bitmap.draw(PixelSize(width: 8, height: 8), from: pool) { _ in throw Failure() }
    }
    #expect(pool.metrics.lent == 0)
  }
}
