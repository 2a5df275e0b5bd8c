private import CLoopbench

/// What the figures were measured on, and with which versions.
package struct Machine: Codable, Equatable, Sendable {
  /// The processor's name; empty where unknown.
  package var cpu = ""
  /// Processors online, whether or not the process may use them all.
  package var cpus = 1
  /// "KVM", "VMware", …; empty on bare metal or where unknown.
  package var virtualization = ""
  /// System, release and architecture.
  package var os = ""
  /// The libuv that ran.
  package var libuv = ""
  /// The Swift that compiled this, major and minor.
  package var swift = ""
  /// "release", or "debug" if either the Swift or the C was not optimised.
  package var build = "release"

  /// Makes a description; reports in tests bring their own.
  package init() {}
}

extension Machine {
  /// This machine, now.
  package static func detect() -> Machine {
    var machine = Machine()
    machine.cpu = String(capacity: 256) { _ = cl_cpu_info($0, $1) }
    machine.cpus = cpuCount
    machine.virtualization = String(capacity: 256) { cl_virtualization($0, $1) }
    machine.os = String(capacity: 256) { cl_operating_system($0, $1) }
    machine.libuv = libuvVersion
    machine.swift = swiftVersion
    machine.build = isDebugBuild || !cl_is_optimized() ? "debug" : "release"
    return machine
  }

  /// The libuv that runs.
  package static var libuvVersion: String { String(cString: cl_uv_version()) }

  package static var cpuCount: Int {
    var model: [CChar] = [0]
    return Int(cl_cpu_info(&model, model.count))
  }

  private static var isDebugBuild: Bool {
    #if DEBUG
      true
    #else
      false
    #endif
  }

  // The compiler does not tell its version in any other way.
  private static var swiftVersion: String {
    #if compiler(>=6.5)
      "6.5 or later"
    #elseif compiler(>=6.4)
      "6.4"
    #elseif compiler(>=6.3)
      "6.3"
    #else
      "6.2"
    #endif
  }
}

extension String {
  /// The text that `fill` writes into as many bytes as it is told, the last a zero.
  init(capacity: Int, _ fill: (UnsafeMutablePointer<CChar>, Int) -> Void) {
    self = withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer in
      guard let start = buffer.baseAddress else { return "" }
      start.pointee = 0
      fill(start, buffer.count)
      return String(cString: start)
    }
  }
}
