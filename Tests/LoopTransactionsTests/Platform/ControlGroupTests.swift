import Foundation
import LoopTransactions
import Testing

@Suite("ControlGroup")
struct ControlGroupTests {
  // O1
  @Test("the lowest quota of a group and its ancestors applies, rounded up")
  func second() throws {
    let files = try Files([
      "groups": "0::/user.slice/work.service\n",
      "user.slice/cpu.max": "350000 100000\n",
      "user.slice/work.service/cpu.max": "max 100000\n",
    ])
    #expect(files.quota == 4)
    try files.write("user.slice/work.service/cpu.max", "150000 100000\n")
    #expect(files.quota == 2)
    try files.write("user.slice/work.service/cpu.max", "1 100000\n")
    #expect(files.quota == 1)
    // A process inside a group sees that group as the root.
    try files.write("cpu.max", "200000 100000\n")
    try files.write("groups", "0::/\n")
    #expect(files.quota == 2)
  }

  // O1
  @Test("the files of version 1 are found in the controller's folder")
  func first() throws {
    let files = try Files([
      "groups": "5:memory:/work\n4:cpu,cpuacct:/work\n0::/\n",
      "cpu,cpuacct/work/cpu.cfs_quota_us": "250000\n",
      "cpu,cpuacct/work/cpu.cfs_period_us": "100000\n",
      "cpu,cpuacct/cpu.cfs_quota_us": "-1\n",
      "cpu,cpuacct/cpu.cfs_period_us": "100000\n",
    ])
    #expect(files.quota == 3)
  }

  @Test("without groups, or with invalid files, there is no limit")  // O1
  func none() throws {
    let files = try Files(["cpu.max": "nonsense\n"])
    #expect(files.quota == nil)
    try files.write("groups", "0::/\n4\n::\n")
    #expect(files.quota == nil)
    try files.write("cpu.max", "100000 0\n")
    #expect(files.quota == nil)
    try files.write("cpu.max", "max 100000\n")
    #expect(files.quota == nil)
  }
}

/// Temporary files, deleted with this object.
private final class Files {
  private let folder: URL

  init(_ texts: [String: String]) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    for (path, text) in texts { try write(path, text) }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func write(_ path: String, _ text: String) throws {
    let file = folder.appendingPathComponent(path)
    let parent = file.deletingLastPathComponent()
    try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
    try text.write(to: file, atomically: true, encoding: .utf8)
  }

  var quota: Int? {
    let groups = folder.appendingPathComponent("groups").path
    return ControlGroup.quota(groups: groups, mount: folder.path)
  }
}
