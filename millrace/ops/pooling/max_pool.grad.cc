// The gradient of a maximum goes to the element that was taken.
#include "millrace/ops/pooling/pool.grad.h"

namespace millrace::ops {
namespace {

// The original input and output only select elements, so their gradients are
// zero.
void SetZeros(GradContext& g) {
  g.Set(0, ZerosLike(g, g.in(0)));
  g.Set(1, ZerosLike(g, g.in(1)));
}

}  // namespace

MR_GRADIENT(MaxPool)(GradContext& g) {
  auto options = FormatOf<MaxPoolGradOptions>(g);
  options.explicit_paddings = g.Attr<std::vector<int64_t>>("explicit_paddings");
  g.Set(0, MaxPoolGrad(g, g.in(0), g.out(), g.dy(), KsizeOf(g), StridesOf(g),
                       PaddingOf(g), options));
}
MR_GRADIENT(MaxPoolV2)(GradContext& g) {
  g.Set(0, MaxPoolGradV2(g, g.in(0), g.out(), g.dy(), g.in(1), g.in(2),
                         PaddingOf(g), FormatOf<MaxPoolGradV2Options>(g)));
}
MR_GRADIENT(MaxPoolGrad)(GradContext& g) {
  SetZeros(g);
  g.Set(2,
        MaxPoolGradGrad(g, g.in(0), g.in(1), g.dy(), KsizeOf(g), StridesOf(g),
                        PaddingOf(g), FormatOf<MaxPoolGradGradOptions>(g)));
}
MR_GRADIENT(MaxPoolGradV2)(GradContext& g) {
  SetZeros(g);
  g.Set(2,
        MaxPoolGradGradV2(g, g.in(0), g.in(1), g.dy(), g.in(3), g.in(4),
                          PaddingOf(g), FormatOf<MaxPoolGradGradV2Options>(g)));
}
MR_GRADIENT(MaxPoolGradGrad)(GradContext& g) {
  SetZeros(g);
  g.Set(2, MaxPoolGrad(g, g.in(0), g.in(1), g.dy(), KsizeOf(g), StridesOf(g),
                       PaddingOf(g), FormatOf<MaxPoolGradOptions>(g)));
}
MR_GRADIENT(MaxPoolWithArgmax)(GradContext& g) {
  g.Set(0, MaxPoolGradWithArgmax(g, g.in(0), g.dy(0), g.out(1), KsizeOf(g),
                                 StridesOf(g), PaddingOf(g),
                                 {.include_batch_in_index =
                                      g.Attr<bool>("include_batch_in_index")}));
}
MR_GRADIENT(MaxPool3D)(GradContext& g) {
  g.Set(0, MaxPool3DGrad(g, g.in(0), g.out(), g.dy(), KsizeOf(g), StridesOf(g),
                         PaddingOf(g), FormatOf<MaxPool3DGradOptions>(g)));
}
MR_GRADIENT(MaxPool3DGrad)(GradContext& g) {
  SetZeros(g);
  g.Set(2,
        MaxPool3DGradGrad(g, g.in(0), g.in(1), g.dy(), KsizeOf(g), StridesOf(g),
                          PaddingOf(g), FormatOf<MaxPool3DGradGradOptions>(g)));
}
MR_GRADIENT(MaxPool3DGradGrad)(GradContext& g) {
  SetZeros(g);
  g.Set(2, MaxPool3DGrad(g, g.in(0), g.in(1), g.dy(), KsizeOf(g), StridesOf(g),
                         PaddingOf(g), FormatOf<MaxPool3DGradOptions>(g)));
}

}  // namespace millrace::ops
