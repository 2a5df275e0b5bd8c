// Without libpng's headers this file is empty, so that the package builds for programs that
// draw no pictures. A program that does then fails to link: its linker cannot find -lpng.
#if __has_include(<png.h>)

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

#include "cpictures.h"

// Spare bytes for libpng's read-ahead and for chunks without pixels.
#define SPARE_BYTES (64 << 10)

struct cp_png {
  png_structp decoder;
  png_infop info;
  const unsigned char *bytes;
  size_t left;
  // The number of these bytes that the rows being read may consume.
  size_t allowed;
  int (*is_cancelled)(void *context);
  void *context;
  jmp_buf failed;
  int failure;
  char message[200];
};

static void fail(png_structp decoder, png_const_charp message) {
  cp_png *png = png_get_error_ptr(decoder);
  if (png->failure == 0) png->failure = cp_damaged;
  snprintf(png->message, sizeof png->message, "%s", message);
  longjmp(png->failed, 1);
}

static png_voidp allocate(png_structp decoder, png_alloc_size_t count) {
  cp_png *png = png_get_mem_ptr(decoder);
  void *memory = malloc(count);
  if (memory == NULL) png->failure = cp_no_memory;
  return memory;
}

static void release(png_structp decoder, png_voidp memory) {
  (void)decoder;
  free(memory);
}

static void ignore(png_structp decoder, png_const_charp message) {
  (void)decoder;
  (void)message;
}

static void take(png_structp decoder, png_bytep target, size_t count) {
  cp_png *png = png_get_io_ptr(decoder);
  if (png->is_cancelled(png->context)) {
    png->failure = cp_cancelled;
    png_error(decoder, "cancelled");
  }
  if (count > png->left) png_error(decoder, "truncated file");
  if (count > png->allowed) png_error(decoder, "more data than the pixels need");
  memcpy(target, png->bytes, count);
  png->bytes += count;
  png->left -= count;
  png->allowed -= count;
}

cp_png *cp_png_open(
  const unsigned char *bytes,
  size_t count,
  int (*is_cancelled)(void *context),
  void *context
) {
  cp_png *png = calloc(1, sizeof *png);
  if (png == NULL) return NULL;
  png->bytes = bytes;
  png->left = count;
  png->allowed = SIZE_MAX;
  png->is_cancelled = is_cancelled;
  png->context = context;
  if (setjmp(png->failed) == 0) {
    png->decoder = png_create_read_struct_2(
      PNG_LIBPNG_VER_STRING, png, fail, ignore, png, allocate, release
    );
    if (png->decoder != NULL) png->info = png_create_info_struct(png->decoder);
    if (png->info != NULL) {
      png_set_read_fn(png->decoder, png, take);
      // Skips ancillary chunks. A text chunk of a few bytes may expand to
      // megabytes, and a file may have a thousand of them.
      png_set_keep_unknown_chunks(png->decoder, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
      return png;
    }
  }
  cp_png_close(png);
  return NULL;
}

void cp_png_close(cp_png *png) {
  png_destroy_read_struct(&png->decoder, &png->info, NULL);
  free(png);
}

const char *cp_png_message(const cp_png *png) { return png->message; }

int cp_png_read_header(cp_png *png, uint32_t *width, uint32_t *height) {
  if (setjmp(png->failed)) return png->failure;
  png_read_info(png->decoder, png->info);
  *width = png_get_image_width(png->decoder, png->info);
  *height = png_get_image_height(png->decoder, png->info);
  return 0;
}

int cp_png_start(cp_png *png, int *passes, int *has_alpha) {
  if (setjmp(png->failed)) return png->failure;
  png_structp decoder = png->decoder;
  *has_alpha = (png_get_color_type(decoder, png->info) & PNG_COLOR_MASK_ALPHA) != 0 ||
               png_get_valid(decoder, png->info, PNG_INFO_tRNS);
  // Converts every format to four bytes per pixel.
  png_set_expand(decoder);
  png_set_strip_16(decoder);
  png_set_gray_to_rgb(decoder);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  png_set_bgr(decoder);
  png_set_add_alpha(decoder, 0xFF, PNG_FILLER_AFTER);
#else
  png_set_swap_alpha(decoder);
  png_set_add_alpha(decoder, 0xFF, PNG_FILLER_BEFORE);
#endif
  *passes = png_set_interlace_handling(decoder);
  png_read_update_info(decoder, png->info);
  size_t width = png_get_image_width(decoder, png->info);
  if (png_get_rowbytes(decoder, png->info) != 4 * width) {
    png_error(decoder, "unsupported pixel format");
  }
  return 0;
}

int cp_png_read_rows(cp_png *png, unsigned char *first, size_t stride, uint32_t count) {
  if (setjmp(png->failed)) return png->failure;
  // With the last row, libpng reads all the data that follows. Reading data
  // after the pixels could take minutes, and no encoder needs twice the size of
  // the pixels.
  png->allowed = 2 * count * stride + SPARE_BYTES;
  for (uint32_t row = 0; row < count; row++) {
    png_read_row(png->decoder, first + row * stride, NULL);
  }
  return 0;
}

int cp_png_finish(cp_png *png) {
  if (setjmp(png->failed)) return png->failure;
  png->allowed = SIZE_MAX;
  png_read_end(png->decoder, NULL);
  return 0;
}

#endif
