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
