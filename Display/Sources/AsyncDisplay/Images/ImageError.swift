/// The reason why an image cannot be loaded.
public enum ImageError: Error, Hashable, Sendable {
  /// The file cannot be read. `code` is the `errno`.
  case unreadable(path: String, code: Int32)
  /// The path refers to a directory, a pipe or a device.
  case notAFile(path: String)
  /// The file exceeds `ImageSource.largestFile`.
  case fileTooLarge
  /// The data is neither a PNG nor a JPEG.
  case unknownFormat
  /// The data is truncated or invalid. The string is the message of libjpeg or
  /// libpng.
  case damaged(String)
  /// The image has more pixels than `PixelSize` allows.
  case tooManyPixels(width: Int, height: Int)
  /// A JPEG in several scans needs `byteCount` bytes for its coefficients,
  /// which is more than the limit described at
  /// `ImageSource.largestCoefficients`.
  case tooManyCoefficients(byteCount: Int)
}
