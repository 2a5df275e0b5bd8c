import LoopTransactionsTesting

/// A square of smooth noise that repeats without a seam: the sum of several
/// grids of random values, each twice as fine and half as strong as the one
/// before.
struct NoiseTile: Sendable {
  /// The number of values per row and column.
  static let side = 256

  /// The tile of all pictures. Values are from 0 to 1.
  static let shared = NoiseTile(seed: 7)

  private let values: [Float]

  init(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var sum = [Float](repeating: 0, count: Self.side * Self.side)
    var (cells, strength) = (4, Float(1))
    while cells <= Self.side {
      let grid = (0..<cells * cells).map { _ in Float(random.unit()) }
      Self.add(grid, cells, strength, to: &sum)
      (cells, strength) = (cells * 2, strength / 2)
    }
    let (least, most) = (sum.min() ?? 0, sum.max() ?? 1)
    values = sum.map { ($0 - least) / (most - least) }
  }

  // Adds the values of a grid of `cells` by `cells`, interpolated smoothly.
  private static func add(_ grid: [Float], _ cells: Int, _ strength: Float, to sum: inout [Float]) {
    let span = side / cells
    grid.withUnsafeBufferPointer { grid in
      for y in 0..<side {
        let (row, below) = (y / span * cells, (y / span + 1) % cells * cells)
        let down = smooth(Float(y % span) / Float(span))
        for x in 0..<side {
          let (column, next) = (x / span, (x / span + 1) % cells)
          let across = smooth(Float(x % span) / Float(span))
          let top = grid[row + column] + across * (grid[row + next] - grid[row + column])
          let bottom = grid[below + column] + across * (grid[below + next] - grid[below + column])
          sum[y * side + x] += strength * (top + down * (bottom - top))
        }
      }
    }
  }

  private static func smooth(_ part: Float) -> Float { part * part * (3 - 2 * part) }

  /// Calls `body` with the noise.
  func withNoise<Result>(_ body: (Noise) throws -> Result) rethrows -> Result {
    try values.withUnsafeBufferPointer { try body(Noise(values: $0)) }
  }
}

/// Noise at any position. The unit is the side of the tile.
struct Noise {
  fileprivate let values: UnsafeBufferPointer<Float>

  /// Returns the interpolated value at a position, from 0 to 1.
  @inline(__always)
  func at(_ x: Float, _ y: Float) -> Float {
    let (side, mask) = (NoiseTile.side, NoiseTile.side - 1)
    let (left, top) = ((x * Float(side)).rounded(.down), (y * Float(side)).rounded(.down))
    let (across, down) = (x * Float(side) - left, y * Float(side) - top)
    let (column, row) = (Int(left) & mask, (Int(top) & mask) * side)
    let (next, below) = ((column + 1) & mask, ((Int(top) + 1) & mask) * side)
    let one = values[row + column] + across * (values[row + next] - values[row + column])
    let two = values[below + column] + across * (values[below + next] - values[below + column])
    return one + down * (two - one)
  }

  /// Returns the height of ground, from 0 to 1.
  @inline(__always)
  func bumps(_ x: Float, _ y: Float) -> Float {
    0.68 * at(x, y) + 0.32 * at(x * 3.1 + 0.37, y * 3.1 + 0.71)
  }

  /// Returns coarse noise with finer noise on top of it, from 0 to 1.
  @inline(__always)
  func detailed(_ x: Float, _ y: Float) -> Float {
    0.7 * at(x, y) + 0.3 * at(x * 5.3 + 0.37, y * 5.3 + 0.71)
  }
}
