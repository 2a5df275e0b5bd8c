import LoopTransactions

/// The state of the game: a ball, a wall and a paddle. `Board` draws it.
struct Game {
  static let size = (width: 480.0, height: 320.0)
  static let paddle = (width: 8.0, height: 64.0)
  static let ball = 10.0

  private(set) var position = (x: 240.0, y: 100.0)
  private(set) var hits = 0
  private(set) var misses = 0
  /// The position of the paddle's top edge.
  private(set) var paddleY = 128.0

  // The ball's velocity in pixels per second.
  private var speed = (x: -240.0, y: 150.0)
  private var lastTime: LoopClock.Instant?

  /// Moves the paddle by `distance` pixels, and stops at the edges.
  mutating func movePaddle(by distance: Double) {
    paddleY = min(max(paddleY + distance, 0), Self.size.height - Self.paddle.height)
  }

  /// Moves the ball to its position at `time`, so that missed frames do not slow the
  /// ball down.
  mutating func advance(to time: LoopClock.Instant) {
    let seconds = lastTime.map { $0.duration(to: time) / .seconds(1) } ?? 0
    lastTime = time
    // Small steps keep the ball from jumping through the paddle.
    let steps = max(1, Int(seconds * 120))
    for _ in 0..<steps { step(seconds / Double(steps)) }
  }

  private mutating func step(_ seconds: Double) {
    position.x += speed.x * seconds
    position.y += speed.y * seconds
    bounce(&position.y, &speed.y, within: 0...Self.size.height - Self.ball)
    if position.x > Self.size.width - Self.ball { speed.x = -abs(speed.x) }
    guard position.x < Self.paddle.width else { return }
    let isHit = position.y + Self.ball > paddleY && position.y < paddleY + Self.paddle.height
    if isHit { hits += 1 } else { misses += 1 }
    position.x = Self.paddle.width
    speed.x = abs(speed.x)
  }

  private func bounce(_ value: inout Double, _ speed: inout Double, within: ClosedRange<Double>) {
    if value < within.lowerBound { speed = abs(speed) }
    if value > within.upperBound { speed = -abs(speed) }
  }
}

extension Duration {
  fileprivate static func / (duration: Duration, unit: Duration) -> Double {
    let (seconds, attoseconds) = duration.components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}
