import CUV

/// The kernel's reports of pressure stall information (PSI).
enum PressureFile {
  /// Opens `file`, whose descriptor has `POLLPRI` each time that `trigger` is
  /// met.
  ///
  /// - Throws: `UVError` with the name of the file.
  static func open(_ file: String, trigger: String) throws(UVError) -> Int32 {
    try check(lt_pressure_open(file, trigger), "EventLoop.onMemoryPressure (\(file))")
  }
}
