#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

#include "cpictures.h"

struct cp_png {
  png_structp decoder;
  png_infop info;
  const unsigned char *bytes;
  size_t left;
  jmp_buf failed;
  char message[200];
};

static void fail(png_structp decoder, png_const_charp message) {
  cp_png *png = png_get_error_ptr(decoder);
  snprintf(png->message, sizeof png->message, "%s", message);
  longjmp(png->failed, 1);
}

static void ignore(png_structp decoder, png_const_charp message) {
  (void)decoder;
  (void)message;
}

static void take(png_structp decoder, png_bytep target, size_t count) {
  cp_png *png = png_get_io_ptr(decoder);
  if (count > png->left) png_error(decoder, "cut off");
  memcpy(target, png->bytes, count);
  png->bytes += count;
  png->left -= count;
}

cp_png *cp_png_open(const unsigned char *bytes, size_t count) {
  cp_png *png = calloc(1, sizeof *png);
  if (png == NULL) return NULL;
  png->bytes = bytes;
  png->left = count;
  if (setjmp(png->failed) == 0) {
    png->decoder = png_create_read_struct(PNG_LIBPNG_VER_STRING, png, fail, ignore);
    if (png->decoder != NULL) png->info = png_create_info_struct(png->decoder);
    if (png->info != NULL) {
      png_set_read_fn(png->decoder, png, take);
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
  if (setjmp(png->failed)) return cp_damaged;
  png_read_info(png->decoder, png->info);
  *width = png_get_image_width(png->decoder, png->info);
  *height = png_get_image_height(png->decoder, png->info);
  return 0;
}

int cp_png_start(cp_png *png, int *passes, int *has_alpha) {
  if (setjmp(png->failed)) return cp_damaged;
  png_structp decoder = png->decoder;
  *has_alpha = (png_get_color_type(decoder, png->info) & PNG_COLOR_MASK_ALPHA) != 0 ||
               png_get_valid(decoder, png->info, PNG_INFO_tRNS);
  // Whatever it is: four bytes.
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
  if (png_get_rowbytes(decoder, png->info) != 4 * width) png_error(decoder, "an odd format");
  return 0;
}

int cp_png_read_rows(cp_png *png, unsigned char *first, size_t stride, uint32_t count) {
  if (setjmp(png->failed)) return cp_damaged;
  for (uint32_t row = 0; row < count; row++) {
    png_read_row(png->decoder, first + row * stride, NULL);
  }
  return 0;
}

int cp_png_finish(cp_png *png) {
  if (setjmp(png->failed)) return cp_damaged;
  png_read_end(png->decoder, NULL);
  return 0;
}
