// libjpeg's header needs another's before it.
#include <stdio.h>

#include <jpeglib.h>
