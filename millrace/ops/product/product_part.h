// Parts of sums of products of floats, each computed by oneDNN.
#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "millrace/base/status.h"
#include "millrace/ops/product/matrix_problem.h"
#include "millrace/tensor/buffer.h"

namespace millrace::ops {

// One product of a sum: the matrices of `problem`, without its batches.
struct ProductTerm {
  MatrixProblem problem;
  const char *a, *b;
};

// Some rows and columns of c.
struct ProductPart {
  int64_t row, rows, column, columns;
};

// Called for finished parts of c on the thread that computed them.
using FinishProduct = absl::FunctionRef<void(const ProductPart&)>;

// Says which factors are copied before they are multiplied, to rows whose
// distance is not a power of two. oneDNN for AVX2 does not pack the factors of
// products that are not large, and rows that are a power of two apart share a
// few sets of the caches: 64 x 256 times 256 x 512 takes 320 us on a core, 210
// with rows of 528, and 30 to copy them (128 x 64 times 64 x 1024: 518, 259 and
// 11).
struct SpreadFactors {
  bool a = false, b = false;

  // Returns the factors whose copies are worthwhile for `rows` rows of c;
  // depends on sizes alone.
  static SpreadFactors Of(absl::Span<const ProductTerm> terms, int64_t rows);
};

// Computes a part of c = the sum of the terms, which have the same m and n, or
// of c += the sum. Copies are allocated by `allocator`.
Status ComputeProductPart(Allocator& allocator,
                          absl::Span<const ProductTerm> terms,
                          const SpreadFactors& spread, const ProductPart& part,
                          float* c, bool accumulate);

}  // namespace millrace::ops
