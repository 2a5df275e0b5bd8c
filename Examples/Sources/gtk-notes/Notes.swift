import LoopTransactions
import Observation

/// What is written, and how far it is saved.
@MainActor
@Observable
final class Notes {
  /// The text that is being typed.
  var draft = ""

  /// What was written, oldest first.
  private(set) var lines: [String]

  /// How many of `lines` are in the file.
  private(set) var saved: Int

  /// Why the last save failed.
  private(set) var complaint: String?

  @ObservationIgnored private let file: NotesFile
  @ObservationIgnored private let scheduler = OperationScheduler("notes", workerLimit: 1)
  @ObservationIgnored private var saving: Task<Void, Never>?

  init(_ file: NotesFile) throws {
    self.file = file
    let lines = try file.read()
    self.lines = lines
    saved = lines.count
  }

  /// Takes the draft as a note, each of its lines if text of several was pasted, and
  /// has it saved.
  func add() {
    let added = draft.split(whereSeparator: \.isNewline).map(String.init)
    guard !added.isEmpty else { return }
    lines += added
    draft = ""
    startSaving()
  }

  /// Returns once all that was written is in the file, or can not be: then `complaint`
  /// says why. What could not be saved before is tried once more.
  func finish() async {
    if saved < lines.count { startSaving() }
    await saving?.value
  }

  private func startSaving() {
    if saving == nil { saving = Task { await save() } }
  }

  /// Writes on a worker, until all is written: GTK's loop waits for no disk.
  private func save() async {
    while saved < lines.count {
      let (file, lines) = (file, lines)
      do {
        try await scheduler.run { _ in try file.write(lines) }
        saved = lines.count
        complaint = nil
      } catch {
        complaint = "\(error)"
        break
      }
    }
    saving = nil
  }
}
