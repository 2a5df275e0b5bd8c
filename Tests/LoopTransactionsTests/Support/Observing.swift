import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// Whether a process that a test started wrote `message` to standard error.
func said(_ result: ExitTest.Result?, _ message: String) -> Bool {
  guard let result else { return false }
  return String(decoding: result.standardErrorContent, as: UTF8.self).contains(message)
}

/// Whether what is freed is soon given out again: AddressSanitizer keeps it.
var memoryIsReused: Bool {
  #if canImport(Glibc)
    dlsym(nil, "__asan_init") == nil
  #else
    true
  #endif
}

/// The memory of this process that is in RAM, in bytes; nil where that can not
/// be known, or is not the program's own: a sanitizer shadows what it watches.
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
