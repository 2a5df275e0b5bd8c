extension Registry {
  /// What `loopbench` brings. A new peer is one line here and one file in
  /// `Peers/`; a new scenario, one line here and one file in `Scenarios/`.
  public static let standard = Registry(
    scenarios: [.commit, .post, .wake, .drain, .timer, .idle],
    peers: [
      LTCommit(),
      LTKeptCommit(),
      UVCommit(),
      SetCommit(),
      DirtyBitCommit(),
      LTPost(),
      UVPost(),
      LTWake(),
      UVWake(),
      LTDrain(),
      UVDrain(),
      LTTimer(),
      UVTimer(),
      LTIdle(),
      UVIdle(),
    ]
  )
}
