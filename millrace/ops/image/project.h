// The options and checks of projective transforms, on all devices.
#pragma once

#include <string>

#include "millrace/kernel/kernel.h"

namespace millrace::ops {

struct ProjectOptions {
  bool bilinear = false;
  int mode = 0;  // a number of project::FillMode

  static StatusOr<ProjectOptions> Make(const KernelInit& init) {
    ProjectOptions o;
    MR_ASSIGN_OR_RETURN(const auto interpolation,
                        init.Attr<std::string>("interpolation"));
    if (interpolation != "NEAREST" && interpolation != "BILINEAR") {
      return InvalidArgument("Invalid interpolation ", interpolation,
                             ". Supported types: NEAREST, BILINEAR");
    }
    o.bilinear = interpolation == "BILINEAR";
    MR_ASSIGN_OR_RETURN(const auto mode, init.Attr<std::string>("fill_mode"));
    constexpr const char* kModes[] = {"CONSTANT", "REFLECT", "WRAP", "NEAREST"};
    for (o.mode = 0; o.mode < 4; ++o.mode) {
      if (mode == kModes[o.mode]) return o;
    }
    return InvalidArgument(
        "Invalid mode ", mode,
        ". Supported types: REFLECT, WRAP, CONSTANT, NEAREST");
  }
};

// The inputs' shapes and values in host memory.
struct ProjectInputs {
  TensorShape shape;  // of the result
  float outside = 0;

  static StatusOr<ProjectInputs> Read(const KernelContext& ctx) {
    const Tensor &images = ctx.input(0), &transforms = ctx.input(1);
    const Tensor& size = ctx.input(2);
    if (images.rank() != 4) {
      return InvalidArgument("Input images must have rank 4");
    }
    if (transforms.rank() != 2 || transforms.dim(1) != 8 ||
        (transforms.dim(0) != 1 && transforms.dim(0) != images.dim(0))) {
      return InvalidArgument(
          "Input transform should be num_images x 8 or 1 x 8");
    }
    if (size.rank() != 1) {
      return InvalidArgument("output shape must be 1-dimensional",
                             size.shape().DebugString());
    }
    if (size.num_elements() != 2) {
      return InvalidArgument("output shape must have two elements",
                             size.shape().DebugString());
    }
    const auto sizes = size.flat<int32_t>();
    if (sizes[0] <= 0 || sizes[1] <= 0) {
      return InvalidArgument("output dimensions must be positive");
    }
    ProjectInputs in;
    if (ctx.num_inputs() > 3) {
      if (ctx.input(3).rank() != 0) {
        return InvalidArgument("fill_value must be a scalar",
                               ctx.input(3).shape().DebugString());
      }
      in.outside = ctx.input(3).scalar<float>();
    }
    MR_ASSIGN_OR_RETURN(in.shape, TensorShape::Make({images.dim(0), sizes[0],
                                                     sizes[1], images.dim(3)}));
    return in;
  }
};

}  // namespace millrace::ops
