/// The captured stacks of one cause as a tree of functions. A function is as wide as the
/// time of the cause in which it, or a function that it called, was running.
///
/// The tree begins with the program's outermost functions that the loop called. A function
/// that calls itself is one node.
package struct FlameGraph: Sendable {
  package struct Node: Sendable {
    package let name: String
    package let role: StackFrame.Role
    /// In ns, with the functions that it called.
    package fileprivate(set) var time: UInt64 = 0
    /// The time of the nodes to the left, in ns.
    package fileprivate(set) var start: UInt64 = 0
    package let depth: Int
    fileprivate let parent: Int?
  }

  /// The name of the node for holds without a stack.
  package static let unknown = "no stack was captured"

  package let cause: Cause
  /// The time of the cause in all holds, in ns.
  package private(set) var time: UInt64 = 0
  private var tree: [Node] = []
  private var places: [Place: Int] = [:]

  private struct Place: Hashable {
    let parent: Int?
    let frame: StackFrame
  }

  package init(_ cause: Cause, of holds: [LateHold]) {
    self.cause = cause
    for late in holds where late.parts[cause] > 0 { add(late) }
  }

  private mutating func add(_ late: LateHold) {
    let stacks = late.captures(of: cause).map { Self.part(of: $0.stack) }.filter { !$0.isEmpty }
    let time = late.parts[cause]
    self.time += time
    guard !stacks.isEmpty else {
      return add([StackFrame(Self.unknown, role: .library)], time: time)
    }
    for (index, stack) in stacks.enumerated() {
      // The first ones take the remainder.
      let rest = UInt64(index) < time % UInt64(stacks.count) ? 1 : 0 as UInt64
      add(stack[...], time: time / UInt64(stacks.count) + rest)
    }
  }

  /// The functions in the program's outermost one; all that the loop called if it has
  /// none.
  private static func part(of stack: [StackFrame]) -> ArraySlice<StackFrame> {
    let called = stack.called
    return called.lastIndex { $0.role == .program }.map { called[...$0] } ?? called
  }

  private mutating func add(_ stack: ArraySlice<StackFrame>, time: UInt64) {
    var (parent, last): (Int?, StackFrame?) = (nil, nil)
    for frame in stack.reversed() where frame != last {
      last = frame
      let place = Place(parent: parent, frame: frame)
      let index = places[place] ?? tree.count
      if index == tree.count {
        places[place] = index
        let depth = parent.map { tree[$0].depth + 1 } ?? 0
        tree.append(
          Node(name: frame.description, role: frame.role, depth: depth, parent: parent)
        )
      }
      tree[index].time += time
      parent = index
    }
  }
}

extension FlameGraph {
  /// True if no hold with this cause has a stack.
  package var isEmpty: Bool { tree.allSatisfy { $0.name == Self.unknown } }

  /// The nodes that take at least `least` of the time, at most 2,000, by depth and from
  /// left to right. Nodes of one parent are ordered by time, longest first.
  package func nodes(least: Double) -> [Node] {
    let limit = UInt64(Double(time) * least)
    var (nodes, starts) = (tree, [Int: UInt64]())
    // Parents come before the nodes that they contain.
    let order = nodes.indices.sorted {
      (nodes[$0].depth, nodes[$1].time, nodes[$0].name)
        < (nodes[$1].depth, nodes[$0].time, nodes[$1].name)
    }
    for index in order {
      let parent = nodes[index].parent
      let start = starts[parent ?? -1] ?? parent.map { nodes[$0].start } ?? 0
      nodes[index].start = start
      starts[parent ?? -1] = start + nodes[index].time
    }
    // A node takes no more time than its parent, so the parents of these are among them.
    return order.map { nodes[$0] }.filter { $0.time >= limit }
      .sorted { ($1.time, $0.depth) < ($0.time, $1.depth) }.prefix(2000)
      .sorted { ($0.depth, $0.start) < ($1.depth, $1.start) }
  }
}
