import CCurl
import ClientHost
import Foundation
import LoopTransactions

// usage: curl-many URL COUNT PARALLEL [--gtk]
//
// Fetches URL?1, URL?2 and so on, PARALLEL at once, by libcurl's interface for event loops.
// A transfer whose connection fails is repeated until it succeeds. Another error, such as a
// malformed URL, is reported at the end, with the exit code 1.

/// The transfers. Belongs to the loop's thread.
final class Transfers {
  // libcurl must not be called from its own callback for a timeout of 0. A transaction is
  // performed before the loop waits, without the millisecond that a timer would take.
  static let expire = Selector<Transfers>("expire") { transfers in
    transfers.zeros += 1
    transfers.act(on: CURL_SOCKET_TIMEOUT, 0)
  }

  private let loop: EventLoop
  private let url: String
  private let count: Int
  private var multi = curl_multi_init()
  private var timer: LoopTimer?
  private var watchers: [curl_socket_t: DescriptorWatcher] = [:]
  private var next = 1
  private var (done, failed, repeated, bytes, zeros, timers) = (0, 0, 0, 0, 0, 0)
  private var times = LatencyHistogram()
  /// The last error that a repetition cannot correct.
  private(set) var error: String?

  /// Called when every transfer has ended.
  var ended: (() -> Void)?

  init(of url: String, count: Int, parallel: Int, on loop: EventLoop) {
    (self.loop, self.url, self.count) = (loop, url, count)
    lt_curl_set_events(
      multi,
      pointer(to: self),
      { _, descriptor, interest, pointer, _ in
        object(Transfers.self, at: pointer)?.follow(descriptor, interest)
        return 0
      },
      { _, milliseconds, pointer in
        object(Transfers.self, at: pointer)?.wait(for: milliseconds)
        return 0
      }
    )
    for _ in 0..<min(parallel, count) { curl_easy_init().map(startNext) }
  }

  var summary: String {
    "done \(done), failed \(failed), repeated \(repeated), bytes \(bytes); "
      + "\(zeros) timeouts of 0, \(timers) timers; p99 \(times.value(atPercentile: 99))"
  }

  /// Reuses `easy` for the next transfer, if there is one.
  private func startNext(_ easy: UnsafeMutableRawPointer) {
    guard next <= count else { return curl_easy_cleanup(easy) }
    lt_curl_set_close(easy, pointer(to: self)) { pointer, descriptor in
      // libcurl also closes sockets that it has not removed from the watched ones.
      object(Transfers.self, at: pointer)?.forget(descriptor)
      return close(descriptor)
    }
    lt_curl_set_url(easy, "\(url)?\(next)")
    next += 1
    curl_multi_add_handle(multi, easy)
  }

  private func end() {
    timer?.cancel()
    curl_multi_cleanup(multi)
    multi = nil
    ended?()
  }
}

// Events.
extension Transfers {
  private func act(on descriptor: curl_socket_t, _ events: Int32) {
    guard multi != nil else { return }
    var (running, result) = (Int32(0), CURLE_OK)
    curl_multi_socket_action(multi, descriptor, events, &running)
    while let easy = lt_curl_next_done(multi, &result) {
      curl_multi_remove_handle(multi, easy)
      finish(easy, result)
    }
    if done + failed == count { end() }
  }

  private func finish(_ easy: UnsafeMutableRawPointer, _ result: CURLcode) {
    switch result {
    case CURLE_OK:
      (done, bytes) = (done + 1, bytes + Int(lt_curl_size(easy)))
      times.record(.microseconds(lt_curl_time(easy)))
    case CURLE_HTTP_RETURNED_ERROR: failed += 1
    case CURLE_COULDNT_CONNECT, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_RECV_ERROR,
      CURLE_SEND_ERROR:
      repeated += 1
      loop.addTimer(after: .milliseconds(50)) { [unowned self] _ in
        curl_multi_add_handle(multi, easy)
      }
      return
    default: (failed, error) = (failed + 1, String(cString: curl_easy_strerror(result)))
    }
    startNext(easy)
  }

  private func follow(_ descriptor: curl_socket_t, _ interest: Int32) {
    var events: DescriptorEvents = []
    if interest & CURL_POLL_IN != 0 { events.insert(.readable) }
    if interest & CURL_POLL_OUT != 0 { events.insert(.writable) }
    if interest == CURL_POLL_REMOVE { return forget(descriptor) }
    if let watcher = watchers[descriptor] { return watcher.events = events }
    watchers[descriptor] = try? loop.watch(descriptor, for: events) { [unowned self] events in
      var mask: Int32 = 0
      if events.contains(.readable) { mask |= CURL_CSELECT_IN }
      if events.contains(.writable) { mask |= CURL_CSELECT_OUT }
      if events.contains(.error) { mask |= CURL_CSELECT_ERR }
      act(on: descriptor, mask)
    }
  }

  private func forget(_ descriptor: curl_socket_t) {
    watchers.removeValue(forKey: descriptor)?.cancel()
  }

  private func wait(for milliseconds: Int) {
    timer?.cancel()
    if milliseconds == 0 { return loop.commit(self, Transfers.expire) }
    guard milliseconds > 0 else { return }
    timers += 1
    timer = loop.addTimer(after: .milliseconds(milliseconds)) { [unowned self] _ in
      act(on: CURL_SOCKET_TIMEOUT, 0)
    }
  }
}

let loop = try EventLoop()
let host = ClientHost(loop, name: "curl-many")
guard host.arguments.count == 3, let count = Int(host.arguments[1]), count > 0,
  let parallel = Int(host.arguments[2]), parallel > 0
else { host.fail("usage: curl-many URL COUNT PARALLEL [--gtk]") }
let all = Transfers(of: host.arguments[0], count: count, parallel: parallel, on: loop)
all.ended = { host.stop() }
host.readLines { line in if line == "summary" { say(all.summary) } }
try host.run()
say(all.summary)
if let error = all.error { host.fail(error) }
