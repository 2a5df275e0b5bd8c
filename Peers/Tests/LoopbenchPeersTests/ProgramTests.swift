import Foundation
import Testing

@Suite("Program", .serialized)
struct ProgramTests {
  @Test("loopbench finds loopbench-peers in its own folder, which lists its peers")
  func list() throws {
    let list = try TestProgram.run(TestProgram.built("loopbench"), ["peers", "list", "peers"])
    #expect(list.code == 0, "\(list.errors)")
    for name in ["asio", "libevent", "libev", "glib", "uv.stack", "tbb", "flathash", "lt", "uv"] {
      #expect(list.lines.contains { $0.contains("\(name) ") }, "\(name)")
    }
  }

  @Test("each series of each scenario measures its peers")
  func series() throws {
    for (scenario, peers) in [
      ("commit", "lt,unordered,flathash"), ("post", "lt,asio,libevent,libev,glib,uv.stack"),
      ("wake", "lt,asio,libevent,libev,glib,uv.stack"), ("idle", "lt,libevent,libev,glib"),
      ("timer", "lt,asio,libevent,libev,glib"), ("pool", "lt,tbb,asio"), ("priority", "lt,tbb"),
    ] {
      let options = ["-p", peers, "--series", "all", "-n", "2", "--rounds", "1", "-f", "csv"]
      let run = try TestProgram.run(TestProgram.built("loopbench-peers"), [scenario] + options)
      #expect(run.code == 0, "\(scenario): \(run.errors)")
      for peer in peers.split(separator: ",") {
        #expect(run.lines.contains { $0.contains(",\(peer),") }, "\(scenario) \(peer)")
      }
    }
  }
}
