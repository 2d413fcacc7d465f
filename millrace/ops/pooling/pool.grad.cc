// Gradients of pooling: maxima hand theirs to the element that was taken,
// means to all.
#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {
namespace {

using Ints = std::vector<int64_t>;

Ints Ksize(GradContext& g) { return g.Attr<Ints>("ksize"); }
Ints Strides(GradContext& g) { return g.Attr<Ints>("strides"); }
std::string Padding(GradContext& g) { return g.Attr<std::string>("padding"); }
template <class Options>
Options Format(GradContext& g) {
  Options options;
  options.data_format = g.Attr<std::string>("data_format");
  return options;
}

// What was pooled and pooled again is chosen, not computed with.
void SetZeros(GradContext& g) {
  g.Set(0, ZerosLike(g, g.in(0)));
  g.Set(1, ZerosLike(g, g.in(1)));
}

}  // namespace

MR_GRADIENT(MaxPool)(GradContext& g) {
  auto options = Format<MaxPoolGradOptions>(g);
  options.explicit_paddings = g.Attr<Ints>("explicit_paddings");
  g.Set(0, MaxPoolGrad(g, g.in(0), g.out(), g.dy(), Ksize(g), Strides(g),
                       Padding(g), options));
}
MR_GRADIENT(MaxPoolV2)(GradContext& g) {
  g.Set(0, MaxPoolGradV2(g, g.in(0), g.out(), g.dy(), g.in(1), g.in(2),
                         Padding(g), Format<MaxPoolGradV2Options>(g)));
}
MR_GRADIENT(MaxPoolGrad)(GradContext& g) {
  SetZeros(g);
  g.Set(2, MaxPoolGradGrad(g, g.in(0), g.in(1), g.dy(), Ksize(g), Strides(g),
                           Padding(g), Format<MaxPoolGradGradOptions>(g)));
}
MR_GRADIENT(MaxPoolGradV2)(GradContext& g) {
  SetZeros(g);
  g.Set(2, MaxPoolGradGradV2(g, g.in(0), g.in(1), g.dy(), g.in(3), g.in(4),
                             Padding(g), Format<MaxPoolGradGradV2Options>(g)));
}
MR_GRADIENT(MaxPoolGradGrad)(GradContext& g) {
  SetZeros(g);
  g.Set(2, MaxPoolGrad(g, g.in(0), g.in(1), g.dy(), Ksize(g), Strides(g),
                       Padding(g), Format<MaxPoolGradOptions>(g)));
}
MR_GRADIENT(MaxPoolWithArgmax)(GradContext& g) {
  g.Set(0, MaxPoolGradWithArgmax(g, g.in(0), g.dy(0), g.out(1), Ksize(g),
                                 Strides(g), Padding(g),
                                 {.include_batch_in_index =
                                      g.Attr<bool>("include_batch_in_index")}));
}
MR_GRADIENT(AvgPool)(GradContext& g) {
  g.Set(0, AvgPoolGrad(g, ShapeOf(g, g.in(0)), g.dy(), Ksize(g), Strides(g),
                       Padding(g), Format<AvgPoolGradOptions>(g)));
}
MR_GRADIENT(AvgPoolGrad)(GradContext& g) {
  g.Set(1, AvgPool(g, g.dy(), Ksize(g), Strides(g), Padding(g),
                   Format<AvgPoolOptions>(g)));
}
MR_GRADIENT(AvgPool3D)(GradContext& g) {
  g.Set(0, AvgPool3DGrad(g, ShapeOf(g, g.in(0)), g.dy(), Ksize(g), Strides(g),
                         Padding(g), Format<AvgPool3DGradOptions>(g)));
}
MR_GRADIENT(AvgPool3DGrad)(GradContext& g) {
  g.Set(1, AvgPool3D(g, g.dy(), Ksize(g), Strides(g), Padding(g),
                     Format<AvgPool3DOptions>(g)));
}
MR_GRADIENT(MaxPool3D)(GradContext& g) {
  g.Set(0, MaxPool3DGrad(g, g.in(0), g.out(), g.dy(), Ksize(g), Strides(g),
                         Padding(g), Format<MaxPool3DGradOptions>(g)));
}
MR_GRADIENT(MaxPool3DGrad)(GradContext& g) {
  SetZeros(g);
  g.Set(2, MaxPool3DGradGrad(g, g.in(0), g.in(1), g.dy(), Ksize(g), Strides(g),
                             Padding(g), Format<MaxPool3DGradGradOptions>(g)));
}
MR_GRADIENT(MaxPool3DGradGrad)(GradContext& g) {
  SetZeros(g);
  g.Set(2, MaxPool3DGrad(g, g.in(0), g.in(1), g.dy(), Ksize(g), Strides(g),
                         Padding(g), Format<MaxPool3DGradOptions>(g)));
}

}  // namespace millrace::ops
