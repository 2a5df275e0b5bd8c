// stdio.h must be included before jpeglib.h.
#include <stdio.h>

#include <jpeglib.h>
