// Decodes rows of pictures with libjpeg and libpng, one call per cancellable
// step. Written in C because both report errors with longjmp(3), which must not
// unwind a Swift frame.
//
// Functions that return an int return a negative `cp_failure` if the picture
// cannot be decoded. After a failure, only read the message and close the
// picture. Pixels are 32 bits, 0xAARRGGBB in native byte order, not
// premultiplied. The caller keeps the bytes of the file valid and in place until
// it closes the picture. Use a picture on one thread at a time.
#ifndef CPICTURES_H
#define CPICTURES_H

#include <stddef.h>
#include <stdint.h>

enum cp_failure {
  // The picture's message describes the damage.
  cp_damaged = -1,
  cp_no_memory = -2,
  // `is_cancelled` returned true.
  cp_cancelled = -3
};

typedef struct cp_jpeg cp_jpeg;

// Returns NULL if memory runs out.
cp_jpeg *cp_jpeg_open(const unsigned char *bytes, size_t count);
void cp_jpeg_close(cp_jpeg *jpeg);
const char *cp_jpeg_message(const cp_jpeg *jpeg);
int cp_jpeg_read_header(cp_jpeg *jpeg, uint32_t *width, uint32_t *height);
// Returns the address of the Exif data and stores its length in *count. Returns
// NULL if there is no Exif data. Call after reading the header.
const unsigned char *cp_jpeg_exif(const cp_jpeg *jpeg, size_t *count);
// Returns true if rows are CMYK: cyan, magenta, yellow and black, one byte
// each. A value of 255 means no ink.
int cp_jpeg_has_inks(const cp_jpeg *jpeg);
// Returns the size in bytes of the coefficients that are kept until the last
// scan is read, or 0 for a picture with one scan. Call after reading the
// header.
uint64_t cp_jpeg_coefficient_bytes(const cp_jpeg *jpeg);
// Allocates the memory for the coefficients.
int cp_jpeg_start(cp_jpeg *jpeg);
// Reads one row of blocks ahead. Returns 1 if it must be called again before
// rows can be read, and otherwise 0. For a picture with one scan it returns 0.
// Fails after 500 scans, or if the number of scans multiplied by the number of
// pixels exceeds 2^30, because each scan is work for every pixel and may take
// only a few bytes.
int cp_jpeg_read_ahead(cp_jpeg *jpeg);
int cp_jpeg_read_rows(cp_jpeg *jpeg, unsigned char *first, size_t stride, uint32_t count);

typedef struct cp_png cp_png;

// Calls `is_cancelled` with `context` whenever it reads from the file, because
// a few bytes may expand to a lot of data without any pixel.
cp_png *cp_png_open(
  const unsigned char *bytes,
  size_t count,
  int (*is_cancelled)(void *context),
  void *context
);
void cp_png_close(cp_png *png);
const char *cp_png_message(const cp_png *png);
int cp_png_read_header(cp_png *png, uint32_t *width, uint32_t *height);
// Stores the number of passes over all rows in *passes. Each pass reads into
// the result of the previous pass. Stores in *has_alpha whether a pixel may be
// translucent.
int cp_png_start(cp_png *png, int *passes, int *has_alpha);
int cp_png_read_rows(cp_png *png, unsigned char *first, size_t stride, uint32_t count);
// Checks that the file is complete.
int cp_png_finish(cp_png *png);

#endif
