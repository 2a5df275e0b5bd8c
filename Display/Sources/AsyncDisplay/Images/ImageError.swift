/// Why a picture can not be shown.
public enum ImageError: Error, Hashable, Sendable {
  /// The file can not be read, for this `errno`.
  case unreadable(path: String, code: Int32)
  /// What is there is no file, but a folder, a pipe, a device.
  case notAFile(path: String)
  /// The file is larger than `ImageSource.largestFile`.
  case fileTooLarge
  /// It is neither a PNG nor a JPEG.
  case unknownFormat
  /// It is cut off or wrong; what libjpeg or libpng says.
  case damaged(String)
  /// It has more pixels than `PixelSize` allows.
  case tooManyPixels(width: Int, height: Int)
  /// Its scans need so many bytes beside its pixels, more than
  /// `ImageSource.largestCoefficients` allows.
  case tooManyCoefficients(byteCount: Int)
}
