import LoopTransactions
import Observation

/// The notes, and the state of saving them.
@MainActor
@Observable
final class Notes {
  /// The text in the entry.
  var draft = ""

  /// The notes, oldest first.
  private(set) var lines: [String]

  /// The number of `lines` that have been saved to the file.
  private(set) var saved: Int

  /// The error of the last save, or nil if it succeeded.
  private(set) var saveError: String?

  @ObservationIgnored private let file: NotesFile
  @ObservationIgnored private let scheduler = OperationScheduler("notes", workerLimit: 1)
  @ObservationIgnored private var saving: Task<Void, Never>?

  init(_ file: NotesFile) throws {
    self.file = file
    let lines = try file.read()
    self.lines = lines
    saved = lines.count
  }

  /// Adds each line of the draft as a note, clears the draft and starts saving.
  func add() {
    let added = draft.split(whereSeparator: \.isNewline).map(String.init)
    guard !added.isEmpty else { return }
    lines += added
    draft = ""
    startSaving()
  }

  /// Returns once all notes are saved or saving has failed, which sets `saveError`.
  /// Retries once if an earlier save failed.
  func finish() async {
    if saved < lines.count { startSaving() }
    await saving?.value
  }

  private func startSaving() {
    if saving == nil { saving = Task { await save() } }
  }

  /// Writes the notes until all of them are saved. A worker writes the file, so that
  /// GTK's loop does not wait for the disk.
  private func save() async {
    while saved < lines.count {
      let (file, lines) = (file, lines)
      do {
        try await scheduler.run { _ in try file.write(lines) }
        saved = lines.count
        saveError = nil
      } catch {
        saveError = "\(error)"
        break
      }
    }
    saving = nil
  }
}
