private import CLoopbench

/// What the figures were measured on, and with which versions.
package struct Machine: Codable, Equatable, Sendable {
  /// The processor's name; empty where unknown.
  package let cpu: String
  /// Processors online, whether or not the process may use them all.
  package let cpus: Int
  /// "KVM", "VMware", …; empty on bare metal or where unknown.
  package let virtualization: String
  /// System, release and architecture.
  package let os: String
  /// The libuv that ran.
  package let libuv: String
  /// The Swift that compiled this, major and minor.
  package let swift: String
  /// "release", or "debug" if either the Swift or the C was not optimised.
  package let build: String

  /// Makes a description; reports in tests bring their own.
  package init(
    cpu: String,
    cpus: Int,
    virtualization: String,
    os: String,
    libuv: String,
    swift: String,
    build: String
  ) {
    self.cpu = cpu
    self.cpus = cpus
    self.virtualization = virtualization
    self.os = os
    self.libuv = libuv
    self.swift = swift
    self.build = build
  }
}

extension Machine {
  /// This machine, now.
  package static func detect() -> Machine {
    Machine(
      cpu: text { _ = cl_cpu_info($0, $1) },
      cpus: cpuCount,
      virtualization: text { cl_virtualization($0, $1) },
      os: text { cl_operating_system($0, $1) },
      libuv: libuvVersion,
      swift: swiftVersion,
      build: isDebugBuild || !cl_is_optimized() ? "debug" : "release"
    )
  }

  /// The libuv that runs.
  package static var libuvVersion: String { String(cString: cl_uv_version()) }

  package static var cpuCount: Int {
    var model: [CChar] = [0]
    return Int(cl_cpu_info(&model, model.count))
  }

  private static func text(_ fill: (UnsafeMutablePointer<CChar>, Int) -> Void) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let start = buffer.baseAddress else { return "" }
      fill(start, buffer.count)
      return String(cString: start)
    }
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
