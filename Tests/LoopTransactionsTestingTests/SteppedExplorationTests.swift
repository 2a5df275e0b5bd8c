import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

// C6, O1, O2, O3
@Suite("SteppedLoop: completeness of forEachOrder")
struct SteppedExplorationTests {
  private static let seeds = UInt64(Interposed.amount(2000, debug: 2000, sanitized: 200))

  @Test("operations of several priorities on several workers have every order of the seeds")
  func mixedPriorities() throws {
    let jobs = [-100, 100, 0, 100].enumerated().map { ExploredJob(name: "\($0)", priority: $1) }
    let program = ExploredProgram(width: 2, jobs: jobs)
    let explored = try program.explored().orders
    #expect(explored == program.allowed())
    #expect(try program.sampled(seeds: Self.seeds).subtracting(explored) == [])
  }

  @Test("an operation that adds urgent operations has every order of the seeds")
  func addedByOperation() throws {
    let urgent = (0..<2).map { ExploredJob(name: "urgent\($0)", priority: 100) }
    let program = ExploredProgram(
      width: 2,
      jobs: [
        ExploredJob(name: "a", priority: 0, children: urgent),
        ExploredJob(name: "b", priority: 0), ExploredJob(name: "c", priority: 0),
      ]
    )
    let explored = try program.explored().orders
    #expect(explored == program.allowed())
    #expect(try program.sampled(seeds: Self.seeds).subtracting(explored) == [])
  }

  @Test("a test that reads the scheduler's metrics has every outcome")
  func inspected() throws {
    let jobs = (0..<3).map { ExploredJob(name: "\($0)", priority: 0) }
    for posts in [[], [[]], [[ExploredJob(name: "late", priority: 0)]]] {
      let program = ExploredProgram(jobs: jobs, posts: posts, inspects: true)
      let explored = try program.explored().orders
      let all = try program.exhaustive(limit: 100_000).orders
      #expect(explored.count == all.count)
      #expect(explored == all)
    }
  }

  @Test("every sequence of steps of a random program has an order that is visited")
  func randomPrograms() throws {
    var generator = SeededGenerator(seed: 7)
    for number in 0..<Interposed.amount(60, debug: 60, sanitized: 6) {
      let program = ExploredProgram.random(count: 2 + number % 3, using: &generator)
      let (orders, visited) = try program.explored()
      let all = try program.exhaustive(limit: 100_000)
      #expect(orders == all.orders, "\(program)")
      #expect(orders == program.allowed(), "\(program)")
      #expect(visited <= all.visited)
    }
  }

  @Test("six operations of several priorities have the orders of O1, O2 and O3")
  func sixOperations() throws {
    var generator = SeededGenerator(seed: 8)
    for _ in 0..<Interposed.amount(5, debug: 5, sanitized: 1) {
      let program = ExploredProgram.random(count: 6, using: &generator)
      let orders = try program.explored().orders
      #expect(orders == program.allowed(), "\(program)")
    }
  }
}
