// Each of the three passes of a convolution is linear in both of its operands,
// so its gradients are the other two passes.
#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {
namespace {

using Ints = std::vector<int64_t>;

// Returns the attributes that the other passes share.
template <class Options>
Options ConvOptionsOf(GradContext& g) {
  Options options;
  options.data_format = g.Attr<std::string>("data_format");
  options.dilations = g.Attr<Ints>("dilations");
  if constexpr (requires { options.explicit_paddings; }) {
    options.explicit_paddings = g.Attr<Ints>("explicit_paddings");
  }
  if constexpr (requires { options.use_cudnn_on_gpu; }) {
    options.use_cudnn_on_gpu = g.Attr<bool>("use_cudnn_on_gpu");
  }
  return options;
}

// The passes of one kind of convolution.
struct Plain {
  static Output Forward(GradContext& g, const Output& x, const Output& f) {
    return Conv2D(g, x, f, g.Attr<Ints>("strides"),
                  g.Attr<std::string>("padding"),
                  ConvOptionsOf<Conv2DOptions>(g));
  }
  static Output Input(GradContext& g, const Output& sizes, const Output& f,
                      const Output& y) {
    return Conv2DBackpropInput(g, sizes, f, y, g.Attr<Ints>("strides"),
                               g.Attr<std::string>("padding"),
                               ConvOptionsOf<Conv2DBackpropInputOptions>(g));
  }
  static Output Filter(GradContext& g, const Output& x, const Output& sizes,
                       const Output& y) {
    return Conv2DBackpropFilter(g, x, sizes, y, g.Attr<Ints>("strides"),
                                g.Attr<std::string>("padding"),
                                ConvOptionsOf<Conv2DBackpropFilterOptions>(g));
  }
};

struct Depthwise {
  static Output Forward(GradContext& g, const Output& x, const Output& f) {
    return DepthwiseConv2dNative(
        g, x, f, g.Attr<Ints>("strides"), g.Attr<std::string>("padding"),
        ConvOptionsOf<DepthwiseConv2dNativeOptions>(g));
  }
  static Output Input(GradContext& g, const Output& sizes, const Output& f,
                      const Output& y) {
    return DepthwiseConv2dNativeBackpropInput(
        g, sizes, f, y, g.Attr<Ints>("strides"), g.Attr<std::string>("padding"),
        ConvOptionsOf<DepthwiseConv2dNativeBackpropInputOptions>(g));
  }
  static Output Filter(GradContext& g, const Output& x, const Output& sizes,
                       const Output& y) {
    return DepthwiseConv2dNativeBackpropFilter(
        g, x, sizes, y, g.Attr<Ints>("strides"), g.Attr<std::string>("padding"),
        ConvOptionsOf<DepthwiseConv2dNativeBackpropFilterOptions>(g));
  }
};

struct Volume {
  static Output Forward(GradContext& g, const Output& x, const Output& f) {
    return Conv3D(g, x, f, g.Attr<Ints>("strides"),
                  g.Attr<std::string>("padding"),
                  ConvOptionsOf<Conv3DOptions>(g));
  }
  static Output Input(GradContext& g, const Output& sizes, const Output& f,
                      const Output& y) {
    return Conv3DBackpropInputV2(
        g, sizes, f, y, g.Attr<Ints>("strides"), g.Attr<std::string>("padding"),
        ConvOptionsOf<Conv3DBackpropInputV2Options>(g));
  }
  static Output Filter(GradContext& g, const Output& x, const Output& sizes,
                       const Output& y) {
    return Conv3DBackpropFilterV2(
        g, x, sizes, y, g.Attr<Ints>("strides"), g.Attr<std::string>("padding"),
        ConvOptionsOf<Conv3DBackpropFilterV2Options>(g));
  }
};

template <class Passes>
void OfForward(GradContext& g) {
  g.Set(0, Passes::Input(g, ShapeOf(g, g.in(0)), g.in(1), g.dy()));
  g.Set(1, Passes::Filter(g, g.in(0), ShapeOf(g, g.in(1)), g.dy()));
}
template <class Passes>
void OfInput(GradContext& g) {
  g.Set(1, Passes::Filter(g, g.dy(), ShapeOf(g, g.in(1)), g.in(2)));
  g.Set(2, Passes::Forward(g, g.dy(), g.in(1)));
}
template <class Passes>
void OfFilter(GradContext& g) {
  g.Set(0, Passes::Input(g, ShapeOf(g, g.in(0)), g.dy(), g.in(2)));
  g.Set(2, Passes::Forward(g, g.in(0), g.dy()));
}

}  // namespace

MR_GRADIENT(Conv2D)(GradContext& g) { OfForward<Plain>(g); }
MR_GRADIENT(Conv2DBackpropInput)(GradContext& g) { OfInput<Plain>(g); }
MR_GRADIENT(Conv2DBackpropFilter)(GradContext& g) { OfFilter<Plain>(g); }
MR_GRADIENT(DepthwiseConv2dNative)(GradContext& g) { OfForward<Depthwise>(g); }
MR_GRADIENT(DepthwiseConv2dNativeBackpropInput)(GradContext& g) {
  OfInput<Depthwise>(g);
}
MR_GRADIENT(DepthwiseConv2dNativeBackpropFilter)(GradContext& g) {
  OfFilter<Depthwise>(g);
}
MR_GRADIENT(Conv3D)(GradContext& g) { OfForward<Volume>(g); }
MR_GRADIENT(Conv3DBackpropInputV2)(GradContext& g) { OfInput<Volume>(g); }
MR_GRADIENT(Conv3DBackpropFilterV2)(GradContext& g) { OfFilter<Volume>(g); }

}  // namespace millrace::ops
