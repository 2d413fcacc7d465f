#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {
namespace {

// In terms of the mean and variance that the op has kept, or in inference of
// those that it was given.
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

// result = (t - m) factor + beta with factor = 1 / sqrt(v + epsilon), times
// gamma if the op scales.
MR_GRADIENT(BatchNormWithGlobalNormalization)(GradContext& g) {
  const Output t = g.in(0), m = g.in(1), v = g.in(2), gamma = g.in(4);
  const bool scales = g.Attr<bool>("scale_after_normalization");
  const Output variance = AddV2(g, v, g.Attr<float>("variance_epsilon"));
  const Output r = Rsqrt(g, variance);
  const Output factor = scales ? Output(Mul(g, r, gamma)) : r;
  const Output sum = Sum(g, g.dy(), {0, 1, 2});
  const Output along = Sum(g, Mul(g, g.dy(), Sub(g, t, m)), {0, 1, 2});
  g.Set(0, Mul(g, g.dy(), factor));
  g.Set(1, Neg(g, Mul(g, sum, factor)));
  g.Set(2, Mul(g, Mul(g, along, RealDiv(g, factor, variance)), -0.5));
  g.Set(3, sum);
  g.Set(4, scales ? Output(Mul(g, along, r)) : Output(ZerosLike(g, gamma)));
}

MR_GRADIENT(LRN)(GradContext& g) {
  LRNGradOptions options;
  options.depth_radius = g.Attr<int64_t>("depth_radius");
  options.bias = g.Attr<float>("bias");
  options.alpha = g.Attr<float>("alpha");
  options.beta = g.Attr<float>("beta");
  g.Set(0, LRNGrad(g, g.dy(), g.in(0), g.out(), options));
}

}  // namespace millrace::ops
