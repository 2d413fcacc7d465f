// Products of matrices of bfloat16, by oneDNN.
#pragma once

#include "millrace/device/cpu/dnnl.h"
#include "millrace/ops/product/matrix_problem.h"

namespace millrace::ops {

// Each kernel has its own; thread-safe.
class Bfloat16Product {
 public:
  // Requires: all sizes are at least 1. Returns UNIMPLEMENTED on machines
  // without AVX-512.
  Status Run(KernelContext& ctx, const MatrixProblem& p, const char* a,
             const char* b, char* c) const;

 private:
  struct Primitive {
    dnnl::matmul primitive;
    dnnl::memory::desc a, b, c;
    bool packs = false;  // b must be packed
  };
  static StatusOr<Primitive> Make(const MatrixProblem& p);

  DnnlCache<Primitive> cache_;
};

// Packs rows [2 begin, 2 end) of a k x n matrix of bfloat16 in the order of
// BA16a64b2a, which products read directly: strips of 64 columns, in each strip
// the pairs of rows one after the other, in each pair the columns. n must be a
// multiple of 64.
void PackBfloat16(const uint16_t* b, int64_t k, int64_t n, int64_t begin,
                  int64_t end, uint32_t* packed);

}  // namespace millrace::ops
