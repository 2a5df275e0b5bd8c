package import CUV

// Types of libuv's callbacks, so that other folders can define callbacks
// without importing libuv.

package typealias PrepareHandle = UnsafeMutablePointer<uv_prepare_t>
package typealias CheckHandle = UnsafeMutablePointer<uv_check_t>
package typealias PollHandle = UnsafeMutablePointer<uv_poll_t>
package typealias AsyncHandle = UnsafeMutablePointer<uv_async_t>
package typealias TimerHandle = UnsafeMutablePointer<uv_timer_t>
package typealias SignalHandle = UnsafeMutablePointer<uv_signal_t>

package typealias PrepareCallback = @convention(c) (PrepareHandle?) -> Void
package typealias CheckCallback = @convention(c) (CheckHandle?) -> Void
package typealias PollCallback =
  @convention(c) (PollHandle?, _ status: Int32, _ events: Int32) -> Void
package typealias AsyncCallback = @convention(c) (AsyncHandle?) -> Void
package typealias TimerCallback = @convention(c) (TimerHandle?) -> Void
package typealias SignalCallback = @convention(c) (SignalHandle?, _ signal: Int32) -> Void
