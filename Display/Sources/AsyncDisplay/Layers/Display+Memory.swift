// Memory in flight. D8.
extension Display {
  func hasRoom(for layer: Layer) -> Bool { hasRoom(for: layer.flightBytes) }

  private func hasRoom(for byteCount: Int) -> Bool {
    counts.inFlightBytes == 0 || counts.inFlightBytes + byteCount <= inFlightLimit
  }

  /// Takes note of a bitmap in flight.
  func reserve(_ byteCount: Int) {
    counts.inFlightBytes += byteCount
    counts.peakInFlightBytes = max(counts.peakInFlightBytes, counts.inFlightBytes)
  }

  /// Takes note of one that landed.
  func release(_ byteCount: Int) {
    counts.inFlightBytes -= byteCount
    commitSoon()
  }
}

// Pictures in flight. D8.
extension Display {
  /// How many pictures wait for memory.
  package var undecodedCount: Int { undecoded.count }

  /// Has `load` decode as soon as there is memory; now, if there is and no other waits. One
  /// that does not fit holds back those behind it, but not those that need no memory, or
  /// want what is being decoded.
  func decodeSoon(_ load: PendingDecode) {
    let byteCount = load.missingBytes ?? 0
    let isFree = byteCount == 0 || decodes[load.key] != nil
    if isFree || (undecoded.isEmpty && hasRoom(for: byteCount)) { return decode(load) }
    wait(load)
    commitSoon()
  }

  /// Has `load` decode now, and with it those that wait for the same.
  func decode(_ load: PendingDecode) {
    load.decode(in: self)
    // Taken out as a whole: each that is decoded removes itself.
    guard let places = sharing.removeValue(forKey: load.key) else { return }
    for place in places { undecoded[place]?.decode(in: self) }
  }

  /// `load` does not wait any more, at `place`.
  func stopWaiting(_ place: Backlog<PendingDecode>.Place, for key: ImageKey) {
    undecoded.remove(place)
    sharing[key]?.remove(place)
    if sharing[key]?.isEmpty == true { sharing[key] = nil }
  }

  /// Takes note that `load`, which waits, is of another priority.
  func priorityDidChange(of load: PendingDecode) {
    guard let place = load.place else { return }
    stopWaiting(place, for: load.key)
    wait(load)
  }

  /// Takes note of a decoding; of one that others wait for, once. Who measures how soon it
  /// stops: the last of them to cancel has it stop.
  func reserve(_ byteCount: Int, for key: ImageKey) -> CancelWatch? {
    if decodes[key] == nil {
      reserve(byteCount)
      decodes[key] = (byteCount, 0, CancelWatch(onStopped))
    }
    decodes[key]?.count += 1
    return decodes[key]?.watch
  }

  /// Takes note that one who waited for it has it, or does not want it any more.
  func release(_ key: ImageKey) {
    guard let decode = decodes[key] else { return }
    if decode.count > 1 {
      decodes[key]?.count -= 1
    } else {
      decodes[key] = nil
      release(decode.byteCount)
    }
  }

  /// Has those decode for which there is memory, the most urgent first, equal ones as they
  /// came.
  ///
  /// - Complexity: O(k) in those.
  func decodeWaiting() {
    while let load = undecoded.first {
      lookedAt += 1
      guard hasRoom(for: load.missingBytes ?? 0) else { return }
      decode(load)
    }
  }

  private func wait(_ load: PendingDecode) {
    let place = undecoded.append(load, load.priority)
    load.place = place
    sharing[load.key, default: []].insert(place)
  }
}
