import Foundation
import Testing

/// A web server on a free port of the loopback interface.
private final class WebServer {
  let folder: ServerFolder
  let port: Int
  private var program: TestProgram?

  var url: String { "http://127.0.0.1:\(port)" }

  init() throws {
    folder = try ServerFolder()
    port = try freePort()
    let path = folder.url.path
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map { "\($0)_temp_path \(path)/\($0);" }.joined(separator: " ")
    let configuration = """
      daemon off; master_process off; pid \(path)/pid; error_log stderr notice;
      events { worker_connections 512; }
      http {
        access_log off; \(temporary)
        server {
          listen 127.0.0.1:\(port); root \(path);
          location = /none { return 404; }
          location = /close { keepalive_timeout 0; return 200 "x"; }
        }
      }
      """
    try configuration.write(toFile: folder.path("conf"), atomically: true, encoding: .utf8)
    try Data(repeating: 120, count: 20_000).write(to: URL(fileURLWithPath: folder.path("file")))
    try start()
  }

  func start() throws {
    let nginx = try startServer([WebServer.nginx, "-e", "stderr", "-c", folder.path("conf")])
    program = nginx
    // The last message before it accepts connections.
    while let line = nginx.nextLine() { if line.contains("getrlimit") { return } }
    throw POSIXError(.ECONNREFUSED)
  }

  func suspend() { program.map { _ = kill($0.process.processIdentifier, SIGSTOP) } }
  func resume() { program.map { _ = kill($0.process.processIdentifier, SIGCONT) } }
  func kill9() { program?.terminate() }

  /// Users other than root may not have /usr/sbin on PATH.
  static let nginx = TestProgram.installed("nginx") ?? "/usr/sbin/nginx"
}

// Evaluated once, although each test of the suite has the condition.
private let canRun = canTest(
  "curl-many",
  "nginx",
  FileManager.default.isExecutableFile(atPath: WebServer.nginx)
)

@Suite(
  "curl-many",
  .enabled(if: canRun, "its library or nginx is not installed"),
  .timeLimit(.minutes(5))
)
struct CurlTests {
  @Test("1,000 transfers, 100 at once, fetch every byte", arguments: MainLoop.allCases)
  func fetches(_ loop: MainLoop) throws {
    let server = try WebServer()
    let client = try Client("curl-many", [server.url + "/file", "1000", "100"], in: loop)
    let line = try #require(try client.finish().last)
    print("curl-many:", line)
    #expect(line.hasPrefix("done 1000, failed 0, repeated 0, bytes 20000000;"))
  }

  @Test("an answer of 404 is a failure that is not repeated")
  func notFound() throws {
    let server = try WebServer()
    let client = try Client("curl-many", [server.url + "/none", "100", "10"])
    #expect(try client.finish().last?.hasPrefix("done 0, failed 100, repeated 0, bytes 0;") == true)
  }

  @Test(
    "an error that a repetition cannot correct is reported, and ends the program with code 1",
    arguments: [
      ("http://[", "URL using bad/illegal format or missing URL"),
      ("unknown://127.0.0.1/", "Unsupported protocol"),
    ]
  )
  func invalid(_ url: String, _ message: String) throws {
    let client = try Client("curl-many", [url, "100", "10"])
    let output = client.program.finish()
    #expect(output.lines.last?.hasPrefix("done 0, failed 100, repeated 0, bytes 0;") == true)
    #expect(output.errors == "curl-many: \(message)\n")
    #expect(output.code == 1)
  }

  // libcurl asks for a timeout of 0 with each transfer, mostly in its own callbacks.
  @Test("a timeout of 0 does not wait for a timer's millisecond")
  func zeroTimeouts() throws {
    let server = try WebServer()
    let address = server.url + "/file"
    let client = try Client("curl-many", [address, "1000", "1"], tracedIn: server.folder)
    let line = try #require(try client.finish().last)
    #expect(line.contains("; 1000 timeouts of 0, "))
    let waits = try client.calls().filter { $0.contains("epoll_wait(") }
    // With timers of 0 there would be one such wait per transfer.
    #expect(waits.filter { $0.contains("1024, 1)") }.count < 100)
  }

  @Test("each request is one write", arguments: [1, 100])
  func writes(_ parallel: Int) throws {
    let server = try WebServer()
    let words = [server.url + "/file", "1000", "\(parallel)"]
    let client = try Client("curl-many", words, tracedIn: server.folder)
    #expect(try client.finish().last?.hasPrefix("done 1000, failed 0, repeated 0, ") == true)
    let sends = try client.calls().filter { $0.contains(" sendto(") || $0.contains(" sendmsg(") }
    #expect(sends.count == 1000)
    #expect(sends.allSatisfy { $0.contains("\"GET /file") })
  }

  // nginx closes each connection, and libcurl its socket. The next socket has the same number.
  @Test("no descriptor is closed while it is watched")
  func closed() throws {
    let server = try WebServer()
    let client = try Client("curl-many", [server.url + "/close", "1000", "100"])
    // finish() expects no report on standard error.
    #expect(
      try client.finish().last?.hasPrefix("done 1000, failed 0, repeated 0, bytes 1000;") == true
    )
  }

  @Test("100 waiting transfers do not wake the client", arguments: MainLoop.allCases)
  func idle(_ loop: MainLoop) throws {
    let server = try WebServer()
    server.suspend()
    let client = try Client("curl-many", [server.url + "/file", "100", "100"], in: loop)
    try client.expectIdleSecond()
    server.resume()
    #expect(try client.finish().last?.hasPrefix("done 100, failed 0, repeated 0, ") == true)
  }

  @Test("transfers of a killed server are repeated until it is back", arguments: MainLoop.allCases)
  func killed(_ loop: MainLoop) throws {
    let server = try WebServer()
    server.suspend()
    let client = try Client("curl-many", [server.url + "/file", "1000", "100"], in: loop)
    // All 100 requests wait for an answer.
    try client.expectIdleSecond()
    server.kill9()
    // Each of them has failed, and finds no server.
    repeat { try client.send("summary") } while try count("repeated", client.line("done ")) < 200
    try server.start()
    let line = try #require(try client.finish().last)
    #expect(line.hasPrefix("done 1000, failed 0, "))
    #expect(line.contains("bytes 20000000;"))
  }

  private func count(_ name: String, _ line: String) -> Int {
    let parts = line.split(separator: ", ").first { $0.hasPrefix(name) }
    return parts?.split(separator: " ").last.flatMap { Int($0) } ?? 0
  }
}

/// A port of the loopback interface that nothing listens on.
func freePort() throws -> Int {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(descriptor) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = inet_addr("127.0.0.1")
  var size = socklen_t(MemoryLayout<sockaddr_in>.size)
  let code = withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(descriptor, $0, size) == 0 ? getsockname(descriptor, $0, &size) : -1
    }
  }
  guard code == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
  return Int(UInt16(bigEndian: address.sin_port))
}
