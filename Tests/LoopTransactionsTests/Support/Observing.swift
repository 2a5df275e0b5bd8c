import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// Returns true if a process started by a test wrote `message` to standard
/// error.
func said(_ result: ExitTest.Result?, _ message: String) -> Bool {
  guard let result else { return false }
  return String(decoding: result.standardErrorContent, as: UTF8.self).contains(message)
}

/// True if freed memory is reused soon. AddressSanitizer delays reuse.
var memoryIsReused: Bool {
  #if canImport(Glibc)
    dlsym(nil, "__asan_init") == nil
  #else
    true
  #endif
}

/// The resident memory of this process in bytes. Nil if it is unknown, and
/// under a sanitizer, whose shadow memory it would include.
func residentBytes() -> Int? {
  #if canImport(Glibc)
    guard dlsym(nil, "__tsan_init") == nil, dlsym(nil, "__asan_init") == nil,
      let file = fopen("/proc/self/statm", "r")
    else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, Int32(line.count), file) != nil else { return nil }
    let fields = line.split(separator: CChar(UInt8(ascii: " ")))
    guard fields.count > 1 else { return nil }
    let pages = String(decoding: fields[1].map(UInt8.init(bitPattern:)), as: UTF8.self)
    return Int(pages).map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) }
  #else
    return nil
  #endif
}
