#include "millrace/ops/tensor_array/gradient_array.grad.h"

namespace millrace::ops {
namespace {

void WriteGradient(GradContext& g) {
  PutGradient(g, 2, [&g](const GradientArray& array) {
    return TensorArrayReadV3(g, array.handle, g.in(1), array.flow,
                             g.Attr<DataType>("T"));
  });
}

}  // namespace

MR_GRADIENT(TensorArrayReadV3)(GradContext& g) {
  TakeGradient(g, TensorArrayWriteV3);
}
MR_GRADIENT(TensorArrayWriteV3)(GradContext& g) { WriteGradient(g); }
MR_NO_GRADIENT(TensorArrayV3);
MR_NO_GRADIENT(TensorArrayV2);
MR_NO_GRADIENT(TensorArray);
MR_NO_GRADIENT(TensorArrayGradV3);
MR_NO_GRADIENT(TensorArrayGradV2);
MR_NO_GRADIENT(TensorArrayGrad);
MR_NO_GRADIENT(TensorArrayGradWithShape);
MR_NO_GRADIENT(TensorArraySizeV3);
MR_NO_GRADIENT(TensorArraySizeV2);
MR_NO_GRADIENT(TensorArraySize);
MR_NO_GRADIENT(TensorArrayCloseV3);
MR_NO_GRADIENT(TensorArrayCloseV2);
MR_NO_GRADIENT(TensorArrayClose);

}  // namespace millrace::ops
