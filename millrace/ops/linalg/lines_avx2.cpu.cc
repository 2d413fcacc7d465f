// The loops over lines for CPUs with AVX2.
#define MR_LOOPS_TARGET __attribute__((target("avx2,fma")))
#include "millrace/ops/linalg/line_loops.h"

namespace millrace::ops {

template <class R>
const LineKernels<R>& Avx2LineKernels() {
  static constexpr LineKernels<R> kKernels = LineLoops<R, 32>::Kernels();
  return kKernels;
}

template const LineKernels<float>& Avx2LineKernels();
template const LineKernels<double>& Avx2LineKernels();

}  // namespace millrace::ops
