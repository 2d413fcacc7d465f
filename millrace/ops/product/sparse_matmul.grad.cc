#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {
namespace {

// A factor of a product, with what is said of it.
struct Factor {
  Output value;
  bool transposed = false, sparse = false;
};

// Returns the product in the type of `like`.
Output MultiplyFactors(GradContext& g, const Factor& x, const Factor& y,
                       const Output& like) {
  const Output product = SparseMatMul(g, x.value, y.value,
                                      {.transpose_a = x.transposed,
                                       .transpose_b = y.transposed,
                                       .a_is_sparse = x.sparse,
                                       .b_is_sparse = y.sparse});
  return like.dtype() == DataType::kFloat ? product
                                          : Cast(g, product, like.dtype());
}

}  // namespace

MR_GRADIENT(SparseMatMul)(GradContext& g) {
  const bool ta = g.Attr<bool>("transpose_a");
  const bool tb = g.Attr<bool>("transpose_b");
  const Output &a = g.in(0), &b = g.in(1), dy = g.dy();
  const bool a_sparse = g.Attr<bool>("a_is_sparse");
  const bool b_sparse = g.Attr<bool>("b_is_sparse");
  // A transposed operand has a transposed gradient, whose factors change sides.
  g.Set(0, ta ? MultiplyFactors(g, {b, tb, b_sparse}, {dy, true}, a)
              : MultiplyFactors(g, {dy}, {b, !tb, b_sparse}, a));
  g.Set(1, tb ? MultiplyFactors(g, {dy, true}, {a, ta, a_sparse}, b)
              : MultiplyFactors(g, {a, !ta, a_sparse}, {dy}, b));
}

}  // namespace millrace::ops
