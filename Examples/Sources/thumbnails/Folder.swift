import Foundation

/// The folder whose pictures are wanted.
struct Folder {
  private let path: String

  init(_ path: String) { self.path = path }

  /// Its files, by name, hidden ones left out. Whether each is a picture shows when it
  /// is decoded.
  func pictures() throws -> [Picture] {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: path)
    } catch {
      throw Failure("cannot read the folder '\(path)'; is it there, and a folder?")
    }
    let files = names.filter { !$0.hasPrefix(".") }.sorted().compactMap { file(named: $0) }
    guard !files.isEmpty else { throw Failure("there is no file in '\(path)'") }
    return files.enumerated().map { index, file in
      Picture(position: index + 1, name: file.name, path: file.path, identity: file.identity)
    }
  }

  /// The file called `name`, by itself or by a link; nil: it is something else.
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

/// The folder that gets the thumbnails.
enum OutFolder {
  /// Makes `out` if it is not there.
  static func prepare(_ out: String, for folder: String) throws {
    let files = FileManager.default
    guard resolved(out) != resolved(folder) else {
      throw Failure("'\(out)' is the folder of the pictures; say another one for -o")
    }
    do {
      try files.createDirectory(atPath: out, withIntermediateDirectories: true)
    } catch {
      throw Failure("cannot make the folder '\(out)'")
    }
    guard files.isWritableFile(atPath: out) else { throw Failure("cannot write to '\(out)'") }
  }

  private static func resolved(_ path: String) -> String {
    URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
  }
}
