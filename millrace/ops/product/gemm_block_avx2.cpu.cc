// The innermost loop of matrix products for CPUs with AVX2.
#define MR_LOOPS_TARGET __attribute__((target("avx2,fma")))
#include "millrace/ops/product/gemm_block_loop.h"

namespace millrace::ops {

template <class T>
GemmBlock<T> Avx2GemmBlock() {
  return GemmBlockLoop<T, 32>::Run;
}

template GemmBlock<double> Avx2GemmBlock();
template GemmBlock<uint16_t> Avx2GemmBlock();
template GemmBlock<uint32_t> Avx2GemmBlock();
template GemmBlock<uint64_t> Avx2GemmBlock();

}  // namespace millrace::ops
