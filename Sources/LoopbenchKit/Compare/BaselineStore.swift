private import FoundationEssentials

/// A folder of reports that are saved by name, one file each.
///
/// ```swift
/// try BaselineStore().save(report, as: "main")
/// ```
package struct BaselineStore: Sendable {
  /// The path of the folder.
  package let folder: String

  /// The default folder of `loopbench`.
  package static let defaultFolder = ".loopbench"

  private static let ending = ".json"
  private static let longestName = 64

  /// Creates a store. The first `save` creates the folder.
  package init(folder: String = BaselineStore.defaultFolder) {
    self.folder = folder
  }

  /// Saves `report` as `name`, atomically. Replaces an existing baseline of that
  /// name.
  package func save(_ report: Report, as name: String) throws(LoopbenchError) {
    let path = try path(of: name)
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw cannotUseFolder
    }
    do {
      // Replaces a symlink instead of following it. A symlink that came with the
      // folder may point to any file.
      try OutputFile(path: path, replacesAny: true).finish(with: report.json())
    } catch {
      throw .unwritable(path, error)
    }
  }

  /// Returns the sorted names, or an empty array if the folder does not exist.
  package func list() throws(LoopbenchError) -> [String] {
    guard FileManager.default.fileExists(atPath: folder) else { return [] }
    do {
      let files = try FileManager.default.contentsOfDirectory(atPath: folder)
      return files.filter { $0.hasSuffix(Self.ending) }
        .map { String($0.dropLast(Self.ending.count)) }.filter(Self.isName).sorted()
    } catch {
      throw cannotUseFolder
    }
  }

  /// Returns the report that was saved as `name`.
  package func load(_ name: String) throws(LoopbenchError) -> Report {
    let path = try existingPath(of: name)
    do { return try ReportFile.read(path, onlyRegular: true) } catch {
      throw .failed("the baseline \"\(name)\" cannot be used: \(error)")
    }
  }

  /// Removes the report that was saved as `name`.
  package func remove(_ name: String) throws(LoopbenchError) {
    let path = try existingPath(of: name)
    do { try FileManager.default.removeItem(atPath: path) } catch {
      throw .failed("cannot remove \"\(path)\"")
    }
  }
}

extension BaselineStore {
  /// Returns whether `text` is a valid name. Paths, names of hidden files and options
  /// are not valid.
  package static func isName(_ text: String) -> Bool {
    guard let first = text.first, text.count <= longestName else { return false }
    return isPlain(first) && text.allSatisfy { isPlain($0) || "._-".contains($0) }
  }

  private static func isPlain(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber)
  }

  /// Returns the path of the baseline `name`, which need not exist.
  package func path(of name: String) throws(LoopbenchError) -> String {
    guard Self.isName(name) else {
      let names = "at most 64 letters, digits, \".\", \"_\" and \"-\", a letter or digit first"
      throw .usage("\"\(name)\" is not a valid baseline name: use \(names)")
    }
    return "\(folder)/\(name)\(Self.ending)"
  }

  private func existingPath(of name: String) throws(LoopbenchError) -> String {
    let path = try path(of: name)
    guard FileManager.default.fileExists(atPath: path) else {
      let names = try list()
      throw .failed(
        "there is no baseline \"\(name)\" in \(folder)" + Suggestion.question(for: name, in: names)
          + (names.isEmpty ? "; create it with loopbench baseline save \(name) FILE" : "")
      )
    }
    return path
  }

  private var cannotUseFolder: LoopbenchError {
    .failed("the folder \(folder) cannot be created or read")
  }
}
