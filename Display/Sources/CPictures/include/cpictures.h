// Rows of pictures by libjpeg and libpng, a call for each step that may be cancelled after
// it. C, for both say that they failed by longjmp(3), which no frame of Swift may lie below.
//
// What returns an int returns less than zero where the picture can not be decoded, one of
// `cp_failure`; it is only closed from then on. Pixels are 32 bits, 0xAARRGGBB in the
// machine's byte order, not premultiplied. The bytes of the file stay the caller's, and
// where they are until the picture is closed. A picture is one thread's at a time.
#ifndef CPICTURES_H
#define CPICTURES_H

#include <stddef.h>
#include <stdint.h>

enum cp_failure {
  // Its message says how.
  cp_damaged = -1,
  cp_no_memory = -2,
  // By who was asked.
  cp_cancelled = -3
};

typedef struct cp_jpeg cp_jpeg;

// NULL: there is no memory.
cp_jpeg *cp_jpeg_open(const unsigned char *bytes, size_t count);
void cp_jpeg_close(cp_jpeg *jpeg);
const char *cp_jpeg_message(const cp_jpeg *jpeg);
int cp_jpeg_read_header(cp_jpeg *jpeg, uint32_t *width, uint32_t *height);
// The camera's note, of *count bytes; NULL if there is none. After the header.
const unsigned char *cp_jpeg_exif(const cp_jpeg *jpeg, size_t *count);
// Whether rows are of inks: cyan, magenta, yellow and black, a byte each, 255 for none.
int cp_jpeg_has_inks(const cp_jpeg *jpeg);
// Bytes of the coefficients that are kept until the last scan is read; 0 of a picture in one
// scan. After the header.
uint64_t cp_jpeg_coefficient_bytes(const cp_jpeg *jpeg);
// Takes memory for the coefficients.
int cp_jpeg_start(cp_jpeg *jpeg);
// Reads a row of blocks ahead. Fails after 500 scans, or once scans times pixels are over
// 2^30: each scan is work for every pixel, and may be a few bytes. 1 if there is more to be read before rows can be made, 0 if
// not. Of a picture in one scan there is none.
int cp_jpeg_read_ahead(cp_jpeg *jpeg);
int cp_jpeg_read_rows(cp_jpeg *jpeg, unsigned char *first, size_t stride, uint32_t count);

typedef struct cp_png cp_png;

// `is_cancelled` is asked with `context` wherever the file is read: what a few bytes of it
// stand for may be much, and of no pixel.
cp_png *cp_png_open(
  const unsigned char *bytes,
  size_t count,
  int (*is_cancelled)(void *context),
  void *context
);
void cp_png_close(cp_png *png);
const char *cp_png_message(const cp_png *png);
int cp_png_read_header(cp_png *png, uint32_t *width, uint32_t *height);
// How many times all rows are read, each into what was read of it; and whether any pixel
// may not be opaque.
int cp_png_start(cp_png *png, int *passes, int *has_alpha);
int cp_png_read_rows(cp_png *png, unsigned char *first, size_t stride, uint32_t count);
// Looks that it is whole.
int cp_png_finish(cp_png *png);

#endif
