import Foundation

/// The input folder.
struct Folder {
  private let path: String

  init(_ path: String) { self.path = path }

  /// Returns the folder's files in the order of their names, without hidden files. The
  /// list may contain files that are not pictures. Decoding such a file fails.
  func pictures() throws -> [Picture] {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: path)
    } catch {
      throw Failure("cannot read the folder '\(path)'; check that it exists and is a folder")
    }
    let files = names.filter { !$0.hasPrefix(".") }.sorted().compactMap { file(named: $0) }
    guard !files.isEmpty else { throw Failure("the folder '\(path)' has no files") }
    return files.enumerated().map { index, file in
      Picture(position: index + 1, name: file.name, path: file.path, identity: file.identity)
    }
  }

  /// Returns the file `name`, following symbolic links, or nil if it is not a regular file.
  private func file(named name: String) -> (name: String, path: String, identity: FileIdentity)? {
    let file = "\(path)/\(name)"
    let target = URL(fileURLWithPath: file).resolvingSymlinksInPath().path
    guard
      let attributes = try? FileManager.default.attributesOfItem(atPath: target),
      attributes[.type] as? FileAttributeType == .typeRegular,
      let device = attributes[.systemNumber] as? NSNumber,
      let number = attributes[.systemFileNumber] as? NSNumber
    else { return nil }
    return (name, file, FileIdentity(device: device.uint64Value, number: number.uint64Value))
  }
}

/// The output folder.
enum OutputFolder {
  /// Creates `out` if it does not exist. Throws unless it is writable and differs from
  /// `folder`.
  static func prepare(_ out: String, for folder: String) throws {
    let files = FileManager.default
    guard resolved(out) != resolved(folder) else {
      throw Failure("the output folder '\(out)' contains the pictures; choose another with -o")
    }
    do {
      try files.createDirectory(atPath: out, withIntermediateDirectories: true)
    } catch {
      throw Failure("cannot create the folder '\(out)'")
    }
    guard files.isWritableFile(atPath: out) else { throw Failure("cannot write to '\(out)'") }
  }

  private static func resolved(_ path: String) -> String {
    URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
  }
}
