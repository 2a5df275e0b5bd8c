import LoopbenchKit

extension Machine {
  /// Makes a made-up machine.
  init(
    cpu: String,
    cpus: Int,
    virtualization: String,
    os: String,
    libuv: String,
    swift: String,
    build: String
  ) {
    self.init()
    (self.cpu, self.cpus, self.virtualization, self.os) = (cpu, cpus, virtualization, os)
    (self.libuv, self.swift, self.build) = (libuv, swift, build)
  }
}

extension ResourceUse {
  /// Makes a made-up reading.
  init(
    cpuNs: UInt64,
    voluntarySwitches: UInt64,
    involuntarySwitches: UInt64,
    stealNs: UInt64 = 0,
    migrations: UInt64 = 0
  ) {
    self.init()
    self.cpuNs = cpuNs
    (self.voluntarySwitches, self.involuntarySwitches) = (voluntarySwitches, involuntarySwitches)
    (self.stealNs, self.migrations) = (stealNs, migrations)
  }
}
