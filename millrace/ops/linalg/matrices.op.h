// Batches of matrices in shape functions.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "millrace/graph/shape_context.h"

namespace millrace::ops {

// The last two dimensions of a batch of matrices.
struct Matrices {
  PartialShape shape;  // if its rank is unknown, so is all that follows
  PartialShape batch;
  int64_t rows = kUnknownDim, cols = kUnknownDim;
};

// Requires at least two dimensions.
StatusOr<Matrices> ReadMatrices(ShapeContext& c, int input);

// Requires square matrices.
StatusOr<Matrices> ReadSquare(ShapeContext& c, int input);

// Returns the batch with other last dimensions.
PartialShape WithLast(const Matrices& m, std::initializer_list<int64_t> dims);

// Returns the smaller one of rows and columns.
int64_t Least(const Matrices& m);

// Sets output 0 to the shape of input 0, which must be square matrices.
Status SquareShape(ShapeContext& c);

}  // namespace millrace::ops
