#include "millrace/client/gradients/grad_context.h"
#include "millrace/ops/nn/batch_norm_second_order.grad.h"

namespace millrace::ops {
namespace {

// The mean and variance that the op has kept or, in inference, its inputs.
struct Statistics {
  Output mean, variance;
};
Statistics StatisticsOf(GradContext& g) {
  if (g.Attr<bool>("is_training")) return {g.out(3), g.out(4)};
  return {g.in(3), g.in(4)};
}

template <class Options>
Options NormOptionsOf(GradContext& g) {
  Options options;
  options.epsilon = g.Attr<float>("epsilon");
  options.data_format = g.Attr<std::string>("data_format");
  options.is_training = g.Attr<bool>("is_training");
  return options;
}

template <class Grads>
void Set(GradContext& g, const Grads& grads) {
  g.Set(0, grads.x_backprop);
  g.Set(1, grads.scale_backprop);
  g.Set(2, grads.offset_backprop);
}

}  // namespace

MR_GRADIENT(FusedBatchNorm)(GradContext& g) {
  const Statistics s = StatisticsOf(g);
  Set(g, FusedBatchNormGrad(g, g.dy(0), g.in(0), g.in(1), s.mean, s.variance,
                            NormOptionsOf<FusedBatchNormGradOptions>(g)));
}
MR_GRADIENT(FusedBatchNormV2)(GradContext& g) {
  const Statistics s = StatisticsOf(g);
  Set(g, FusedBatchNormGradV2(g, g.dy(0), g.in(0), g.in(1), s.mean, s.variance,
                              NormOptionsOf<FusedBatchNormGradV2Options>(g)));
}
MR_GRADIENT(FusedBatchNormV3)(GradContext& g) {
  const Statistics s = StatisticsOf(g);
  Set(g, FusedBatchNormGradV3(g, g.dy(0), g.in(0), g.in(1), s.mean, s.variance,
                              g.out(5),
                              NormOptionsOf<FusedBatchNormGradV3Options>(g)));
}

MR_GRADIENT(FusedBatchNormGrad)(GradContext& g) {
  SetSecondOrderOfBatchNorm(g);
}
MR_GRADIENT(FusedBatchNormGradV2)(GradContext& g) {
  SetSecondOrderOfBatchNorm(g);
}
MR_GRADIENT(FusedBatchNormGradV3)(GradContext& g) {
  SetSecondOrderOfBatchNorm(g);
}

}  // namespace millrace::ops
