import CUV

// What libuv calls. The folders that serve a handle define the functions, without
// importing libuv for their types.

typealias PrepareHandle = UnsafeMutablePointer<uv_prepare_t>
typealias CheckHandle = UnsafeMutablePointer<uv_check_t>
typealias PollHandle = UnsafeMutablePointer<uv_poll_t>
typealias AsyncHandle = UnsafeMutablePointer<uv_async_t>
typealias TimerHandle = UnsafeMutablePointer<uv_timer_t>

typealias PrepareCallback = @convention(c) (PrepareHandle?) -> Void
typealias CheckCallback = @convention(c) (CheckHandle?) -> Void
typealias PollCallback = @convention(c) (PollHandle?, _ status: Int32, _ events: Int32) -> Void
typealias AsyncCallback = @convention(c) (AsyncHandle?) -> Void
typealias TimerCallback = @convention(c) (TimerHandle?) -> Void
