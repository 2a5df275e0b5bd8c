import CLoopbench
import LoopTransactions

/// What `lt` commits in `post`: performing it is a step to a finish line.
final class PostTarget: @unchecked Sendable {
  // @unchecked: `finish` is stepped to on the loop's thread only.

  static let step = Selector<PostTarget>("step") { cl_finish_step($0.finish) }

  private let finish: UnsafeMutablePointer<cl_finish>

  init(finish: UnsafeMutablePointer<cl_finish>) {
    self.finish = finish
  }
}
