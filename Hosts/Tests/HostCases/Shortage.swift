import LoopTransactions

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Cases {
  /// Creates a host while the process has no free descriptor. Once there are free
  /// descriptors, creates another host on the same loop.
  func shortage() throws {
    let loop = try EventLoop()
    let descriptors = takeAll()
    do {
      _ = try host.serve(loop)
      print("served")
    } catch {
      print("refused \(UVError.name(in: error) ?? "\(error)")")
    }
    for descriptor in descriptors { close(descriptor) }
    print("run \(loop.run())")

    let end = try host.serve(loop)
    var performed = 0
    for _ in 0..<100 {
      loop.commit(Action { performed += 1 }, Action.perform)
      host.pollOnce()
    }
    print("between \(performed)")
    end()
    try loop.close()
  }

  private func takeAll() -> [Int32] {
    // Lowers the limit, so that the process reaches it quickly.
    var limit = rlimit()
    #if canImport(Darwin)
      let resource = RLIMIT_NOFILE
    #else
      let resource = Int32(RLIMIT_NOFILE.rawValue)
    #endif
    getrlimit(resource, &limit)
    limit.rlim_cur = 256
    setrlimit(resource, &limit)
    var descriptors: [Int32] = []
    while true {
      let descriptor = dup(0)
      if descriptor < 0 { return descriptors }
      descriptors.append(descriptor)
    }
  }
}

extension UVError {
  /// The name of the error code of `error`, or of the `UVError` that `error`
  /// contains.
  fileprivate static func name(in error: any Error) -> String? {
    let inner = (error as? UVError) ?? Mirror(reflecting: error).children.first?.value as? UVError
    return inner?.name
  }
}
