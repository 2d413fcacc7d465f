// Shapes in gradient code: known ones become constants, so that less is left to
// be computed at run time.
#pragma once

#include "millrace/client/ops.h"

namespace millrace {

// The shape of `x` as a vector.
Output ShapeOf(const Scope& scope, const Output& x,
               DataType type = DataType::kInt32);
// The number of dimensions, elements.
Output RankOf(const Scope& scope, const Output& x);
Output SizeOf(const Scope& scope, const Output& x,
              DataType type = DataType::kInt32);

// Zeros of the shape of the variable behind `handle`, alive where the handle
// is.
Output ZerosOfVariable(const Scope& scope, const Output& handle, DataType type);

// `t` with the shape of `x`, which has as many elements.
Output ReshapeLike(const Scope& scope, const Output& t, const Output& x);

// The shape of `x` after a reduction over `axes` that keeps them with size 1.
Output KeptShape(const Scope& scope, const Output& x, const Output& axes);

// Elements [begin, end) of a vector; `end` below 0 counts from the back, and
// kToEnd takes all.
inline constexpr int kToEnd = 1 << 30;
Output Part(const Scope& scope, const Output& vector, int begin, int end);
// Element `i` of a vector, as a scalar.
Output Element(const Scope& scope, const Output& vector, int i);

}  // namespace millrace
