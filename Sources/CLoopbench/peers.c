#include "CLoopbench.h"
