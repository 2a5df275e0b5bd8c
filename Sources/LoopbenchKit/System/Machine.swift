private import CLoopbench

/// The machine and the software versions of a measurement.
package struct Machine: Codable, Equatable, Sendable {
  /// The processor's name; empty if unknown.
  package var cpu = ""
  /// The number of online processors, including those that the process may not
  /// use.
  package var cpus = 1
  /// The hypervisor, such as "KVM" or "VMware"; empty on bare metal or if unknown.
  package var virtualization = ""
  /// The operating system, its release and the architecture.
  package var os = ""
  /// The libuv version at run time.
  package var libuv = ""
  /// The major and minor version of the Swift compiler.
  package var swift = ""
  /// "release", or "debug" if the Swift or the C code was not optimized.
  package var build = "release"

  /// Makes an empty description.
  package init() {}
}

extension Machine {
  /// Describes this machine.
  package static func detect() -> Machine {
    var machine = Machine()
    machine.cpu = String(capacity: 256) { _ = cl_cpu_info($0, $1) }
    machine.cpus = cpuCount
    machine.virtualization = String(capacity: 256) { cl_virtualization($0, $1) }
    machine.os = String(capacity: 256) { cl_operating_system($0, $1) }
    machine.libuv = libuvVersion
    machine.swift = swiftVersion
    #if DEBUG
      machine.build = "debug"
    #else
      machine.build = cl_is_optimized() ? "release" : "debug"
    #endif
    return machine
  }

  /// The libuv version at run time.
  package static var libuvVersion: String { String(cString: cl_uv_version()) }

  package static var cpuCount: Int {
    var model: [CChar] = [0]
    return Int(cl_cpu_info(&model, model.count))
  }

  // The compiler does not provide its version in any other way.
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
  /// Makes a string from the zero-terminated bytes that `fill` writes into a
  /// buffer of `capacity` bytes.
  package init(capacity: Int, _ fill: (UnsafeMutablePointer<CChar>, Int) -> Void) {
    self = withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer in
      guard let start = buffer.baseAddress else { return "" }
      start.pointee = 0
      fill(start, buffer.count)
      return String(cString: start)
    }
  }
}
