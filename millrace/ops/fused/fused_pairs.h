// Pairs of cheap float ops that one loop computes, for fused nodes: a pass over
// a block in the first-level cache costs as much as the op itself.
#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"
#include "millrace/tensor/dtype.h"

namespace millrace::ops {

enum class PairOp : uint8_t { kNone, kMul, kAdd, kSub, kRelu, kSquare };

// Returns kNone for ops and types that are in no pair.
PairOp PairOpOf(absl::string_view op, DataType type);
constexpr bool IsBinary(PairOp op) {
  return op == PairOp::kMul || op == PairOp::kAdd || op == PairOp::kSub;
}

// Applies `op` to a value, with an operand that is a vector or one element for
// all; unary ops have no operand.
struct PairStep {
  PairOp op = PairOp::kNone;
  bool vector = false;
};

// Computes z[i] = second(first(x[i], y[i]), w[i]), bit for bit as the two ops
// one after the other; y and w are not read if their step is unary. z may be x,
// y or w.
using PairLoop = void (*)(const float* x, const float* y, const float* w,
                          float* z, int64_t n);
// Returns null if there is no loop, as for products before sums, which would be
// contracted.
PairLoop FindPairLoop(PairStep first, PairStep second);

}  // namespace millrace::ops
