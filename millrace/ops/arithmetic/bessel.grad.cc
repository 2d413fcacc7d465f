#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {
namespace {

// Returns the distance of 1 to the next number.
double PrecisionOf(DataType type) {
  switch (type) {
    case DataType::kDouble:
      return 0x1p-52;
    case DataType::kFloat:
      return 0x1p-23;
    case DataType::kHalf:
      return 0x1p-10;
    default:
      return 0x1p-7;
  }
}

}  // namespace

MR_GRADIENT(BesselI0e)(GradContext& g) {
  const Output& x = g.in(0);
  const Output slope = Sub(g, BesselI1e(g, x), Mul(g, Sign(g, x), g.out()));
  g.Set(0, Mul(g, g.dy(), slope));
}

// The slope at 0 is 1/2, where its formula divides by 0.
MR_GRADIENT(BesselI1e)(GradContext& g) {
  const Output& x = g.in(0);
  const Output least = NumberLike(g, x, PrecisionOf(x.dtype()));
  const Output zeros = ZerosLike(g, x);
  const Output is_large = Greater(g, Abs(g, x), least);
  const Output safe = Select(g, is_large, x, AddV2(g, zeros, least));
  const Output sum = AddV2(g, Sign(g, safe), Reciprocal(g, safe));
  const Output slope = Sub(g, BesselI0e(g, safe), Mul(g, g.out(), sum));
  const Output half = AddV2(g, zeros, NumberLike(g, x, 0.5));
  g.Set(0, Mul(g, g.dy(), Select(g, is_large, slope, half)));
}

}  // namespace millrace::ops
