import LoopTransactions
import TestSupport
import Testing

#if os(Linux)
  import Glibc
#endif

// libuv's codes for EPERM and EMFILE on Linux.
private let notPermitted: Int32 = -1
private let tooManyOpen: Int32 = -24

#if os(Linux)
  @Suite("Precise timers without a timerfd")
  struct CoarseTimerTests {
    @Test("where the system refuses a timerfd, a precise timer still fires, and never early")
    func fires() async {  // L10
      let result = await #expect(
        processExitsWith: .success,
        observing: [\.standardErrorContent]
      ) {
        Process.endInTime()
        for _ in 0..<2 {
          try withLoop { loop in
            loop.timerRefusal = notPermitted
            var fired = 0
            let start = loop.now
            let timer = try loop.addPreciseTimer(
              at: start.advanced(by: .microseconds(1500)),
              every: .microseconds(1500)
            ) { firing in
              #expect(loop.now >= firing.deadline)
              fired += firing.missed + 1
              if fired >= 3 { loop.stop() }
            }
            #expect(loop.run() == .stopped)
            #expect(loop.now >= start.advanced(by: .microseconds(4500)))
            timer.cancel()
            var frames = 0
            let clock = try FrameClock(on: loop, framesPerSecond: 1000) { _ in
              frames += 1
              loop.stop()
            }
            #expect(loop.run() == .stopped)
            #expect(frames == 1)
            clock.cancel()
          }
        }
      }
      // The process reports the refusal once, for both loops.
      let message =
        "EventLoop.addPreciseTimer: timerfd_create failed: EPERM; "
        + "precise timers of this process have millisecond precision\n"
      let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
      #expect(text == message)
    }

    @Test("adding a precise timer throws when the system is out of descriptors")  // L10
    func outOfDescriptors() throws {
      try withLoop { loop in
        loop.timerRefusal = tooManyOpen
        #expect(throws: UVError.self) { try loop.addPreciseTimer(at: loop.now) { _ in } }
        #expect(loop.run() == .finished)
      }
    }

    @Test("a precise timer that the loop cannot poll throws, and leaves no descriptor open")  // L10
    func notPolled() async {
      let result = await #expect(
        processExitsWith: .success,
        observing: [\.standardErrorContent]
      ) {
        try withLoop { loop in
          let embedding = Embedding(loop)
          let backend = embedding.pollDescriptor
          embedding.cancel()
          let (original, other) = (dup(backend), open("/dev/null", O_RDONLY))
          // The loop's descriptor is no longer an epoll descriptor, so
          // `epoll_ctl` fails with EINVAL.
          dup2(other, backend)
          let before = Process.openDescriptors
          for _ in 0..<100 {
            let error = #expect(throws: UVError.self) {
              try loop.addPreciseTimer(at: loop.now) { _ in }
            }
            #expect(error?.name == "EINVAL")
            #expect(error?.operation == "EventLoop.addPreciseTimer")
          }
          // Other threads of the process may open a few descriptors.
          #expect(Process.openDescriptors < before + 50)
          dup2(original, backend)
          close(original)
          close(other)
          #expect(loop.run() == .finished)
        }
      }
      // This error must not be reported as a refused timerfd.
      #expect(result?.standardErrorContent.isEmpty == true)
    }
  }
#endif
