// The loops over lines for CPUs with AVX-512.
#define MR_LOOPS_TARGET __attribute__((target("avx512f,avx512dq,avx512vl,fma")))
#include "millrace/ops/linalg/line_loops.h"

namespace millrace::ops {

template <class R>
const LineKernels<R>& Avx512LineKernels() {
  static constexpr LineKernels<R> kKernels = LineLoops<R, 64>::Kernels();
  return kKernels;
}

template const LineKernels<float>& Avx512LineKernels();
template const LineKernels<double>& Avx512LineKernels();

}  // namespace millrace::ops
