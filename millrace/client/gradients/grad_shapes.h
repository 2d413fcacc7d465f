// Shapes in gradient code: known ones become constants, so that less is
// computed at run time.
#pragma once

#include "millrace/client/ops.h"

namespace millrace {

// Returns the shape of `x` as a vector.
Output ShapeOf(const Scope& scope, const Output& x,
               DataType type = DataType::kInt32);
// Return the number of dimensions, and of elements.
Output RankOf(const Scope& scope, const Output& x);
Output SizeOf(const Scope& scope, const Output& x,
              DataType type = DataType::kInt32);

// Returns zeros of the shape of the variable behind `handle`, alive if the
// handle is.
Output ZerosOfVariable(const Scope& scope, const Output& handle, DataType type);

// Returns `t` with the shape of `x`, which has the same number of elements.
Output ReshapeLike(const Scope& scope, const Output& t, const Output& x);

// Returns the shape of `x` after a reduction over `axes` that keeps them with
// size 1.
Output KeptShape(const Scope& scope, const Output& x, const Output& axes);

// Returns elements [begin, end) of a vector; `end` below 0 counts from the
// back, and kToEnd takes all.
inline constexpr int kToEnd = 1 << 30;
Output Part(const Scope& scope, const Output& vector, int begin, int end);
// Returns element `i` of a vector, as a scalar.
Output Element(const Scope& scope, const Output& vector, int i);

}  // namespace millrace
