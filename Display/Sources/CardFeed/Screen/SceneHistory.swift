import AsyncDisplay

/// The latest scene of a screen, and the damage of the scenes before it.
///
/// A screen with several buffers paints into a buffer that shows an older
/// scene. The age of a buffer is the number of scenes since it was painted: 1
/// for the previous scene, 0 if its pixels are undefined, as in
/// `EGL_EXT_buffer_age`.
package struct SceneHistory {
  /// The latest scene, or nil before the first one.
  package private(set) var scene: Scene?

  // The damage from each scene to the next, the newest first.
  private var recent: [Region] = []

  /// The largest age for which the damage is known. A swap chain has up to four
  /// buffers.
  package static let oldest = 4

  /// Creates a history without scenes.
  package init() {}

  /// Makes `scene` the latest scene. Returns false, and keeps the history as it
  /// is, if no pixel changes.
  package mutating func add(_ scene: Scene) -> Bool {
    guard let old = self.scene else {
      self.scene = scene
      return true
    }
    let damage = scene.damage(since: old)
    self.scene = scene
    guard !damage.isEmpty else { return false }
    // The pixels of a buffer of another size are undefined.
    if scene.size != old.size { recent = [] } else { recent.insert(damage, at: 0) }
    if recent.count > Self.oldest { recent.removeLast() }
    return true
  }

  /// Returns the pixels to paint in a buffer of `age`.
  package func damage(age: Int) -> Region {
    guard let scene else { return Region() }
    guard age > 0, age <= recent.count else { return Region(scene.bounds) }
    var damage = Region()
    for region in recent.prefix(age) { damage.add(region) }
    return damage
  }
}
