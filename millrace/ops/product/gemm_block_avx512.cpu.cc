// The innermost loop of matrix products for CPUs with AVX-512.
#define MR_LOOPS_TARGET \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma")))
#include "millrace/ops/product/gemm_block_loop.h"

namespace millrace::ops {

template <class T>
GemmBlock<T> Avx512GemmBlock() {
  return GemmBlockLoop<T, 64>::Run;
}

template GemmBlock<double> Avx512GemmBlock();
template GemmBlock<uint16_t> Avx512GemmBlock();
template GemmBlock<uint32_t> Avx512GemmBlock();
template GemmBlock<uint64_t> Avx512GemmBlock();

}  // namespace millrace::ops
