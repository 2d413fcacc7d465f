#include "millrace/train/layers/dense_product.h"

#include "millrace/client/gradients/grad_shapes.h"
#include "millrace/client/ops.h"

namespace millrace::train {

Output DenseProduct(const Scope& scope, const Output& x, const Output& kernel,
                    int64_t n, int64_t units) {
  const PartialShape shape = x.shape();
  if (shape.rank() == 2) return ops::MatMul(scope, x, kernel);
  const Output rows = ops::Reshape(scope, x, Tensor::Vector<int64_t>({-1, n}));
  const Output product = ops::MatMul(scope, rows, kernel);
  const Output sizes = ops::ConcatV2(
      scope,
      {Part(scope, ShapeOf(scope, x), 0, shape.rank() - 1),
       ops::Const(scope,
                  Tensor::Vector<int32_t>({static_cast<int32_t>(units)}))},
      0);
  return ops::Reshape(scope, product, sizes);
}

}  // namespace millrace::train
