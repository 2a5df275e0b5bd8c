// Without libjpeg's headers this file is empty, so that the package builds for programs that
// draw no pictures. A program that does then fails to link: its linker cannot find -ljpeg.
#if __has_include(<jpeglib.h>)

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

#include "cpictures.h"

#ifndef JCS_ALPHA_EXTENSIONS
#error "libjpeg-turbo is required: other libjpegs cannot decode to 32-bit pixels"
#endif

// A progressive JPEG usually has about ten scans. Each scan costs work for
// every pixel and may take only a few bytes of the file. The first limit is for
// small pictures. The second limit allows the largest picture as many scans as
// encoders write.
#define MOST_SCANS 500
#define MOST_SCANNED_PIXELS (UINT64_C(1) << 30)

// Memory in addition to the coefficients, for rows of the widest picture.
#define SCRATCH_BYTES (32L << 20)

struct cp_jpeg {
  // This must be the first member, because `fail` casts the pointer that
  // libjpeg passes.
  struct jpeg_error_mgr errors;
  struct jpeg_decompress_struct decoder;
  jmp_buf failed;
  int failure;
  char message[JMSG_LENGTH_MAX];
  int is_ahead;
};

static void fail(j_common_ptr decoder) {
  cp_jpeg *jpeg = (cp_jpeg *)decoder->err;
  decoder->err->format_message(decoder, jpeg->message);
  jpeg->failure = decoder->err->msg_code == JERR_OUT_OF_MEMORY ? cp_no_memory : cp_damaged;
  longjmp(jpeg->failed, 1);
}

static int damaged(cp_jpeg *jpeg, const char *message) {
  snprintf(jpeg->message, sizeof jpeg->message, "%s", message);
  return cp_damaged;
}

// Ignores warnings, so that the intact part of a damaged picture is shown.
static void ignore(j_common_ptr decoder, int level) {
  (void)decoder;
  (void)level;
}

cp_jpeg *cp_jpeg_open(const unsigned char *bytes, size_t count) {
  cp_jpeg *jpeg = calloc(1, sizeof *jpeg);
  if (jpeg == NULL) return NULL;
  jpeg->decoder.err = jpeg_std_error(&jpeg->errors);
  jpeg->errors.error_exit = fail;
  jpeg->errors.emit_message = ignore;
  if (setjmp(jpeg->failed)) {
    cp_jpeg_close(jpeg);
    return NULL;
  }
  jpeg_create_decompress(&jpeg->decoder);
  jpeg_mem_src(&jpeg->decoder, bytes, count);
  jpeg_save_markers(&jpeg->decoder, JPEG_APP0 + 1, 0xFFFF);
  return jpeg;
}

void cp_jpeg_close(cp_jpeg *jpeg) {
  jpeg_destroy_decompress(&jpeg->decoder);
  free(jpeg);
}

const char *cp_jpeg_message(const cp_jpeg *jpeg) { return jpeg->message; }

int cp_jpeg_read_header(cp_jpeg *jpeg, uint32_t *width, uint32_t *height) {
  if (setjmp(jpeg->failed)) return jpeg->failure;
  jpeg_read_header(&jpeg->decoder, TRUE);
  *width = jpeg->decoder.image_width;
  *height = jpeg->decoder.image_height;
  return 0;
}

const unsigned char *cp_jpeg_exif(const cp_jpeg *jpeg, size_t *count) {
  static const char name[] = "Exif\0";
  for (jpeg_saved_marker_ptr note = jpeg->decoder.marker_list; note; note = note->next) {
    if (note->data_length < sizeof name || memcmp(note->data, name, sizeof name)) continue;
    *count = note->data_length - sizeof name;
    return note->data + sizeof name;
  }
  return NULL;
}

uint64_t cp_jpeg_coefficient_bytes(const cp_jpeg *jpeg) {
  const struct jpeg_decompress_struct *decoder = &jpeg->decoder;
  if (!jpeg_has_multiple_scans((j_decompress_ptr)decoder)) return 0;
  uint64_t blocks = 0;
  for (int index = 0; index < decoder->num_components; index++) {
    const jpeg_component_info *component = &decoder->comp_info[index];
    uint64_t across = component->h_samp_factor, down = component->v_samp_factor;
    // The size is rounded up to whole MCUs, as in interleaved scans.
    uint64_t width = (component->width_in_blocks + across - 1) / across * across;
    blocks += width * ((component->height_in_blocks + down - 1) / down * down);
  }
  return blocks * sizeof(JBLOCK);
}

int cp_jpeg_has_inks(const cp_jpeg *jpeg) {
  // Values are inverted, as Adobe's programs write them. Files without an Adobe
  // marker are read the same way.
  J_COLOR_SPACE space = jpeg->decoder.jpeg_color_space;
  return space == JCS_CMYK || space == JCS_YCCK;
}

int cp_jpeg_start(cp_jpeg *jpeg) {
  struct jpeg_decompress_struct *decoder = &jpeg->decoder;
  if (setjmp(jpeg->failed)) return jpeg->failure;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  decoder->out_color_space = JCS_EXT_BGRA;
#else
  decoder->out_color_space = JCS_EXT_ARGB;
#endif
  if (cp_jpeg_has_inks(jpeg)) decoder->out_color_space = JCS_CMYK;
  // Reads one scan at a time. Reading all scans in one call would be one long
  // step.
  decoder->buffered_image = jpeg_has_multiple_scans(decoder);
  jpeg->is_ahead = !decoder->buffered_image;
  // A picture over its limits was refused before this call. libjpeg may use at
  // most this much memory.
  decoder->mem->max_memory_to_use = SCRATCH_BYTES + (long)cp_jpeg_coefficient_bytes(jpeg);
  jpeg_start_decompress(decoder);
  if (decoder->output_width != decoder->image_width || decoder->output_components != 4) {
    return damaged(jpeg, "unsupported pixel format");
  }
  return 0;
}

int cp_jpeg_read_ahead(cp_jpeg *jpeg) {
  struct jpeg_decompress_struct *decoder = &jpeg->decoder;
  if (jpeg->is_ahead) return 0;
  if (setjmp(jpeg->failed)) return jpeg->failure;
  uint64_t scans = decoder->input_scan_number;
  uint64_t pixels = (uint64_t)decoder->image_width * decoder->image_height;
  if (scans > MOST_SCANS || scans * pixels > MOST_SCANNED_PIXELS) {
    return damaged(jpeg, "too many scans");
  }
  if (jpeg_consume_input(decoder) != JPEG_REACHED_EOI) return 1;
  jpeg_start_output(decoder, decoder->input_scan_number);
  jpeg->is_ahead = 1;
  return 0;
}

int cp_jpeg_read_rows(cp_jpeg *jpeg, unsigned char *first, size_t stride, uint32_t count) {
  if (setjmp(jpeg->failed)) return jpeg->failure;
  for (uint32_t row = 0; row < count; row++) {
    JSAMPROW place = first + row * stride;
    if (jpeg_read_scanlines(&jpeg->decoder, &place, 1) == 1) continue;
    return damaged(jpeg, "fewer rows than the header declares");
  }
  return 0;
}

#endif
