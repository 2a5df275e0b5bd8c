#ifndef CLOOPBENCH_H
#define CLOOPBENCH_H
#endif
