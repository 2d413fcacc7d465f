// Products of matrices of bfloat16, by oneDNN.
#pragma once

#include "millrace/device/cpu/dnnl.h"
#include "millrace/ops/product/matrix_problem.h"

namespace millrace::ops {

// One for each kernel; thread-safe.
class Bfloat16Product {
 public:
  // All sizes are at least 1. UNIMPLEMENTED on machines without AVX-512.
  Status Run(KernelContext& ctx, const MatrixProblem& p, const char* a,
             const char* b, char* c) const;

 private:
  struct Primitive {
    dnnl::matmul primitive;
    dnnl::memory::desc a, b, c;
    bool packs = false;  // b is to be packed
  };
  static StatusOr<Primitive> Make(const MatrixProblem& p);

  DnnlCache<Primitive> cache_;
};

// Rows [2 begin, 2 end) of a k x n matrix of bfloat16 in the order of
// BA16a64b2a, which products take as it is: strips of 64 columns, in each the
// pairs of rows one after the other, in each of these the columns. n is a
// multiple of 64.
void PackBfloat16(const uint16_t* b, int64_t k, int64_t n, int64_t begin,
                  int64_t end, uint32_t* packed);

}  // namespace millrace::ops
