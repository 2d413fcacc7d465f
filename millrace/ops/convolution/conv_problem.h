// Describes a convolution by numbers: two or three spatial dimensions, plain,
// grouped or depthwise.
#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "millrace/kernel/kernel.h"
#include "millrace/ops/pooling/window.op.h"

namespace millrace::ops {

// Convolutions of images, of images channel by channel, and of volumes.
enum class ConvKind { k2D, kDepthwise, k3D };
enum class ConvPass { kForward, kInput, kFilter };

// Filters are laid out [taps, in_depth / groups, out_depth]. Those of depthwise
// convolutions have one input channel a group, so their layout is the same.
// Missing spatial dimensions are in front and have windows of size 1.
struct ConvProblem {
  DataType type = DataType::kInvalid;
  bool channels_first = false;
  int spatial = 2;
  int64_t batch = 0, in_depth = 0, out_depth = 0, groups = 1;
  Window window[kMaxSpatial];

  int64_t InputPixels() const {
    return window[0].input * window[1].input * window[2].input;
  }
  int64_t OutputPixels() const {
    return window[0].output * window[1].output * window[2].output;
  }
  int64_t Taps() const {
    return window[0].filter * window[1].filter * window[2].filter;
  }
  int64_t InputSize() const { return batch * InputPixels() * in_depth; }
  int64_t OutputSize() const { return batch * OutputPixels() * out_depth; }
  int64_t FilterSize() const { return Taps() * in_depth / groups * out_depth; }
  int64_t MultiplyAdds() const {
    return OutputSize() * Taps() * (in_depth / groups);
  }
};

// The attributes of a convolution. Makes problems from shapes.
class ConvAttrs {
 public:
  static StatusOr<ConvAttrs> Make(const KernelInit& init, ConvKind kind,
                                  ConvPass pass = ConvPass::kForward);

  // Returns the shape that input `t` of a backward pass holds, of the input or
  // the filter.
  StatusOr<TensorShape> SizesOf(const Tensor& t) const;
  // Returns INVALID_ARGUMENT if the sizes of a backward pass do not fit each
  // other, apart from those of space.
  Status CheckBackward(const TensorShape& input, const TensorShape& filter,
                       const TensorShape& out_backprop) const;
  // Returns INVALID_ARGUMENT if the shapes do not fit.
  StatusOr<ConvProblem> Resolve(DataType type, const TensorShape& input,
                                const TensorShape& filter) const;
  TensorShape OutputShape(const ConvProblem& p) const;
  // Returns the number of spatial dimensions: 2 or 3.
  int spatial() const { return sliding_.layout.spatial; }
  // Returns the shape of an input of which only [height, width] is given.
  TensorShape FromSpatial(const TensorShape& sizes, int64_t batch,
                          int64_t channels) const;

 private:
  Status CheckRanks(const TensorShape& input, const TensorShape& filter) const;

  SlidingAttrs sliding_;
  ConvKind kind_ = ConvKind::k2D;
  ConvPass pass_ = ConvPass::kForward;
};

// Elements of the three tensors. The pass writes the one that it computes and
// reads the others.
struct ConvData {
  char* input;
  char* filter;
  char* output;
};

// Runs plain loops for float, and for double and int32 (which wraps around) of
// several groups, else products of matrices; half and bfloat16 are computed in
// float. Requires: no size is 0.
Status RunPlainConv(KernelContext& ctx, ConvPass pass, const ConvProblem& p,
                    const ConvData& data);

using ConvFunction = absl::FunctionRef<Status(
    KernelContext&, ConvPass, const ConvProblem&, const ConvData&)>;
// Converts half and bfloat16 to float, calls `run`, which supports float, and
// converts the result back.
Status ConvThroughFloat(KernelContext& ctx, ConvPass pass, const ConvProblem& p,
                        const ConvData& data, ConvFunction run);

}  // namespace millrace::ops
