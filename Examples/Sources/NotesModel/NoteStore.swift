import Foundation

/// The folder with the files of notes. A file has one shard of the notebook.
///
/// Call from any thread.
package final class NoteStore: Sendable {
  /// Why the notes cannot be loaded or saved, for the user.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String

    init(_ action: String, _ path: String, _ code: Int32) {
      description = "cannot \(action) '\(path)': \(String(cString: strerror(code)))"
    }

    init(_ description: String) { self.description = description }
  }

  package let folder: String
  private let lock: Int32

  /// Opens a folder, which is created if it does not exist. Another process cannot open
  /// it meanwhile.
  package init(folder: String) throws {
    self.folder = folder
    do {
      try FileManager.default.createDirectory(
        atPath: folder,
        withIntermediateDirectories: true
      )
    } catch { throw Failure("cannot create the folder '\(folder)'") }
    let path = "\(folder)/lock"
    lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0 else { throw Failure("open", path, errno) }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      close(lock)
      throw Failure("another gtk-notes has opened '\(folder)'; close it first")
    }
  }

  deinit { close(lock) }

  /// Returns the numbers of the shards that have a file, in ascending order. Removes
  /// unfinished files of a process that crashed.
  package func shards() throws -> [Int] {
    let names: [String]
    do { names = try FileManager.default.contentsOfDirectory(atPath: folder) } catch {
      throw Failure("cannot read the folder '\(folder)'")
    }
    for name in names where name.hasPrefix("notes-") && name.hasSuffix(".tmp") {
      unlink("\(folder)/\(name)")
    }
    return names.compactMap(Self.shard(in:)).sorted()
  }

  /// Reads the notes of a shard that has a file.
  package func read(shard: Int) throws -> [Note] {
    let path = path(of: shard)
    guard let data = FileManager.default.contents(atPath: path) else {
      throw Failure("cannot read '\(path)'")
    }
    guard let notes = NoteFile.decode([UInt8](data), shard: shard) else {
      throw Failure("'\(path)' is damaged; move it away to open the other notes")
    }
    return notes
  }

  /// Replaces the file of a shard. After a crash, the file is complete: the old or the
  /// new one. Call `sync()` after the last file.
  package func write(_ notes: [Note], shard: Int) throws {
    let path = path(of: shard)
    guard !notes.isEmpty else {
      guard unlink(path) == 0 || errno == ENOENT else { throw Failure("remove", path, errno) }
      return
    }
    let unfinished = path + ".tmp"
    do {
      try writeDurably(NoteFile.encode(notes), to: unfinished)
      guard rename(unfinished, path) == 0 else { throw Failure("replace", path, errno) }
    } catch {
      unlink(unfinished)
      throw error
    }
  }

  /// Returns once the names of all written files are on the disk.
  package func sync() throws {
    let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure("open", folder, errno) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw Failure("save", folder, errno) }
  }

  private func writeDurably(_ bytes: [UInt8], to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Failure("create", path, errno) }
    defer { close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { writeSome($0, to: descriptor) }
      guard count >= 0 else {
        if errno == EINTR { continue }
        throw Failure("write", path, errno)
      }
      rest = rest.dropFirst(count)
    }
    guard fsync(descriptor) == 0 else { throw Failure("save", path, errno) }
  }

  private func path(of shard: Int) -> String {
    let digits = String(shard)
    return "\(folder)/notes-\(String(repeating: "0", count: max(0, 5 - digits.count)))\(digits).txt"
  }

  /// The number in the name of a file of notes, which has five digits.
  private static func shard(in name: String) -> Int? {
    guard name.hasPrefix("notes-"), name.hasSuffix(".txt"), name.utf8.count == 15 else {
      return nil
    }
    let digits = name.dropFirst(6).prefix(5)
    return digits.allSatisfy { $0.isASCII && $0.isNumber } ? Int(digits) : nil
  }
}

// At file scope, where `write` is the system's.
private func writeSome(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
  write(descriptor, bytes.baseAddress, bytes.count)
}
