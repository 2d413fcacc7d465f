// The options and checks of projective transforms, on all devices.
#pragma once

#include <cmath>
#include <string>
#include <utility>

#include "millrace/kernel/kernel.h"
#include "millrace/kernel/shared_text.h"
// After what it needs.
#include "millrace/ops/image/pixels/project.shared.h"

namespace millrace::ops {

struct ProjectOptions {
  bool bilinear = false;
  project::FillMode mode = project::FillMode::kConstant;

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
    using project::FillMode;
    constexpr std::pair<const char*, FillMode> kModes[] = {
        {"CONSTANT", FillMode::kConstant},
        {"REFLECT", FillMode::kReflect},
        {"WRAP", FillMode::kWrap},
        {"NEAREST", FillMode::kNearest}};
    for (const auto& [name, value] : kModes) {
      if (mode != name) continue;
      o.mode = value;
      return o;
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
