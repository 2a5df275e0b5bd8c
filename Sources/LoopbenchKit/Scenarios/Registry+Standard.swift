extension Registry {
  /// What `loopbench` brings. A new peer is one line here and one file in
  /// `Peers/`; a new scenario, one line here and one file in `Scenarios/`.
  public static let standard = Registry(
    scenarios: [.commit, .post, .wake, .drain, .timer, .idle],
    peers: [
      UVCommit(),
      LTCommit(),
      LTKeptCommit(),
      SetCommit(),
      DirtyBitCommit(),
      UVPost(),
      LTPost(),
      UVWake(),
      LTWake(),
      EventFDWake(),
      QueueWake<CondQueue>(),
      QueueWake<DispatchedQueue>(),
      QueueWake<OperationsQueue>(),
      QueueWake<RunLoopThread>(),
      QueueWake<ActorQueue>(),
      QueuePost<CondQueue>(),
      QueuePost<DispatchedQueue>(),
      QueuePost<OperationsQueue>(),
      QueuePost<ActorQueue>(),
      UVDrain(),
      LTDrain(),
      UVTimer(),
      LTTimer(),
      EventFDTimer(),
      CondTimer(),
      DispatchTimer(),
      UVIdle(),
      LTIdle(),
    ],
    planned: [.hop, .priority]
  )
}
