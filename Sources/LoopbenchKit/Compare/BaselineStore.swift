private import FoundationEssentials

/// Reports that were kept under a name, each a file in one folder.
///
/// ```swift
/// try BaselineStore().save(report, as: "main")
/// ```
public struct BaselineStore: Sendable {
  /// Where they are.
  public let folder: String

  /// Where `loopbench` keeps them unless told otherwise.
  public static let defaultFolder = ".loopbench"

  private static let ending = ".json"
  private static let longestName = 64

  /// Makes a store; the folder is made when something is saved.
  public init(folder: String = BaselineStore.defaultFolder) {
    self.folder = folder
  }

  /// Keeps `report` as `name`, in place of what had that name. It appears whole or
  /// not at all.
  public func save(_ report: Report, as name: String) throws(BaselineError) {
    let path = try path(of: name)
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw .folder(folder)
    }
    do {
      try OutputFile(path: path).finish(with: JSONReport.render(report))
    } catch {
      throw .unwritable(path, cause: error)
    }
  }

  /// The names, sorted. A folder that is not there has none.
  public func list() throws(BaselineError) -> [String] {
    guard FileManager.default.fileExists(atPath: folder) else { return [] }
    do {
      let files = try FileManager.default.contentsOfDirectory(atPath: folder)
      return files.filter { $0.hasSuffix(Self.ending) }
        .map { String($0.dropLast(Self.ending.count)) }.filter(Self.isName).sorted()
    } catch {
      throw .folder(folder)
    }
  }

  /// The report that was kept as `name`.
  public func load(_ name: String) throws(BaselineError) -> Report {
    let path = try existingPath(of: name)
    do { return try ReportFile.read(path) } catch { throw .damaged(name, cause: error) }
  }

  /// Forgets `name`.
  public func remove(_ name: String) throws(BaselineError) {
    let path = try existingPath(of: name)
    do { try FileManager.default.removeItem(atPath: path) } catch { throw .unremovable(path) }
  }
}

extension BaselineStore {
  /// Whether `text` can name a baseline: no path, nothing hidden, and not taken for
  /// an option.
  public static func isName(_ text: String) -> Bool {
    guard let first = text.first, text.count <= longestName else { return false }
    return isPlain(first) && text.allSatisfy { isPlain($0) || "._-".contains($0) }
  }

  private static func isPlain(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber)
  }

  /// The file that `name` is kept in, whether or not it is there.
  public func path(of name: String) throws(BaselineError) -> String {
    guard Self.isName(name) else { throw .name(name) }
    return "\(folder)/\(name)\(Self.ending)"
  }

  private func existingPath(of name: String) throws(BaselineError) -> String {
    let path = try path(of: name)
    guard FileManager.default.fileExists(atPath: path) else {
      throw .missing(name, folder: folder, has: try list())
    }
    return path
  }
}

/// Why a baseline can not be kept or read.
public enum BaselineError: Error, Equatable, CustomStringConvertible {
  /// The name can not be one.
  case name(String)
  /// There is none of that name.
  case missing(String, folder: String, has: [String])
  /// Its file is not a whole report.
  case damaged(String, cause: ReportFileError)
  /// The folder can not be made or read.
  case folder(String)
  /// Its file can not be written.
  case unwritable(String, cause: SystemError)
  /// Its file can not be removed.
  case unremovable(String)

  /// What is wrong, and what to do.
  public var description: String {
    switch self {
    case .name(let name):
      "\"\(name)\" can not name a baseline: use at most 64 letters, digits, \".\", \"_\" and"
        + " \"-\", a letter or digit first"
    case .missing(let name, let folder, let has):
      "there is no baseline \"\(name)\" in \(folder)"
        + Suggestion.question(Suggestion.nearest(to: name, in: has))
        + (has.isEmpty ? "; loopbench baseline save \(name) FILE makes it" : "")
    case .damaged(let name, let cause): "the baseline \"\(name)\" can not be used: \(cause)"
    case .folder(let folder): "the folder \(folder) can not be made or read"
    case .unwritable(let path, let cause): "can not write \"\(path)\": \(cause)"
    case .unremovable(let path): "can not remove \"\(path)\""
    }
  }
}
