private import FoundationEssentials

/// Reports that were kept under a name, each a file in one folder.
///
/// ```swift
/// try BaselineStore().save(report, as: "main")
/// ```
package struct BaselineStore: Sendable {
  /// Where they are.
  package let folder: String

  /// Where `loopbench` keeps them unless told otherwise.
  package static let defaultFolder = ".loopbench"

  private static let ending = ".json"
  private static let longestName = 64

  /// Makes a store; the folder is made when something is saved.
  package init(folder: String = BaselineStore.defaultFolder) {
    self.folder = folder
  }

  /// Keeps `report` as `name`, in place of what had that name. It appears whole or
  /// not at all.
  package func save(_ report: Report, as name: String) throws(LoopbenchError) {
    let path = try path(of: name)
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw cannotUseFolder
    }
    do {
      // Replaced: a symlink that came with the folder may lead anywhere.
      try OutputFile(replacing: path).finish(with: report.json())
    } catch {
      throw .unwritable(path, error)
    }
  }

  /// The names, sorted. A folder that is not there has none.
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

  /// The report that was kept as `name`.
  package func load(_ name: String) throws(LoopbenchError) -> Report {
    let path = try existingPath(of: name)
    do { return try ReportFile.read(path, onlyRegular: true) } catch {
      throw .failed("the baseline \"\(name)\" cannot be used: \(error)")
    }
  }

  /// Forgets `name`.
  package func remove(_ name: String) throws(LoopbenchError) {
    let path = try existingPath(of: name)
    do { try FileManager.default.removeItem(atPath: path) } catch {
      throw .failed("cannot remove \"\(path)\"")
    }
  }
}

extension BaselineStore {
  /// Whether `text` can name a baseline: no path, nothing hidden, and not taken for
  /// an option.
  package static func isName(_ text: String) -> Bool {
    guard let first = text.first, text.count <= longestName else { return false }
    return isPlain(first) && text.allSatisfy { isPlain($0) || "._-".contains($0) }
  }

  private static func isPlain(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber)
  }

  /// The file that `name` is kept in, whether or not it is there.
  package func path(of name: String) throws(LoopbenchError) -> String {
    guard Self.isName(name) else {
      let names = "at most 64 letters, digits, \".\", \"_\" and \"-\", a letter or digit first"
      throw .usage("\"\(name)\" cannot name a baseline: use \(names)")
    }
    return "\(folder)/\(name)\(Self.ending)"
  }

  private func existingPath(of name: String) throws(LoopbenchError) -> String {
    let path = try path(of: name)
    guard FileManager.default.fileExists(atPath: path) else {
      let has = try list()
      throw .failed(
        "there is no baseline \"\(name)\" in \(folder)" + Suggestion.question(for: name, in: has)
          + (has.isEmpty ? "; loopbench baseline save \(name) FILE makes it" : "")
      )
    }
    return path
  }

  private var cannotUseFolder: LoopbenchError {
    .failed("the folder \(folder) cannot be made or read")
  }
}
