import LoopTransactions

// Memory in flight. D8.
extension Display {
  func hasRoom(for byteCount: Int) -> Bool {
    counts.inFlightBytes == 0 || counts.inFlightBytes + byteCount <= inFlightLimit
  }

  /// Adds a bitmap to the memory in flight.
  func reserve(_ byteCount: Int) {
    counts.inFlight += 1
    counts.inFlightBytes += byteCount
    counts.peakInFlightBytes = max(counts.peakInFlightBytes, counts.inFlightBytes)
    if LoopTrace.isRunning { traceInFlight() }
  }

  /// Removes a delivered bitmap from the memory in flight.
  func release(_ byteCount: Int) {
    counts.inFlight -= 1
    counts.inFlightBytes -= byteCount
    if LoopTrace.isRunning { traceInFlight() }
    commitSoon()
  }
}

// Images in flight. D8.
extension Display {
  /// The number of images that wait for memory.
  var undecodedCount: Int { undecoded.count }

  /// Decodes `load` now if memory is free and no other image waits for memory.
  /// Otherwise decodes it as soon as memory is available.
  ///
  /// An image that does not fit in memory blocks later images, except images
  /// that need no memory and images that are already being decoded.
  func decodeSoon(_ load: PendingDecode) {
    let byteCount = load.missingBytes ?? 0
    let isFree = byteCount == 0 || decodes[load.key] != nil
    if isFree || (undecoded.isEmpty && hasRoom(for: byteCount)) { return decode(load) }
    wait(load)
    commitSoon()
  }

  /// Begins to decode `load`, and all waiting loads of the same image.
  func decode(_ load: PendingDecode) {
    load.decode(in: self)
    // The set is removed first, because each load removes itself from the set.
    guard let places = sharing.removeValue(forKey: load.key) else { return }
    for place in places { undecoded[place]?.decode(in: self) }
  }

  /// Removes the load at `place` from the waiting loads.
  func stopWaiting(_ place: Backlog<PendingDecode>.Place, for key: ImageKey) {
    undecoded.remove(place)
    sharing[key]?.remove(place)
    if sharing[key]?.isEmpty == true { sharing[key] = nil }
  }

  /// Moves the waiting `load` to the place of its new priority.
  func priorityDidChange(of load: PendingDecode) {
    guard let place = load.place else { return }
    stopWaiting(place, for: load.key)
    wait(load)
  }

  /// Counts one more load of the image `key`. The first load reserves the
  /// memory.
  ///
  /// Returns the watch that measures how soon the decoding stops after its last
  /// load was cancelled.
  func reserve(_ byteCount: Int, for key: ImageKey) -> CancelWatch? {
    if decodes[key] == nil {
      reserve(byteCount)
      decodes[key] = (byteCount, 0, CancelWatch(onStopped))
    }
    decodes[key]?.count += 1
    return decodes[key]?.watch
  }

  /// Counts one load of the image less, because the load finished or was
  /// cancelled. The last load releases the memory.
  func release(_ key: ImageKey) {
    guard let decode = decodes[key] else { return }
    if decode.count > 1 {
      decodes[key]?.count -= 1
    } else {
      decodes[key] = nil
      release(decode.byteCount)
    }
  }

  /// Begins to decode waiting images while they fit in memory. Images of higher
  /// priority come first, and images of equal priority come in the order of
  /// their arrival.
  ///
  /// - Complexity: O(k) in the images that begin.
  func decodeWaiting() {
    while let load = undecoded.first {
      examinedCount += 1
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
