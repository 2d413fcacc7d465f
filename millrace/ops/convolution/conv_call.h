// ConvCall: what one run of a kernel of a convolution computes.
#pragma once

#include "millrace/kernel/kernel_context.h"
#include "millrace/ops/convolution/conv_problem.h"

namespace millrace::ops {

// The source of the shape of a backward pass's result: the elements of an
// input, which lies on the host, or its shape.
enum class SizesFrom { kVector, kTensor };

struct ConvCall {
  ConvProblem problem;
  TensorShape shape;  // of the result

  // Reads the shapes of the inputs. Returns INVALID_ARGUMENT if they do not fit
  // each other.
  static StatusOr<ConvCall> Of(KernelContext& ctx, const ConvAttrs& attrs,
                               ConvKind kind, ConvPass pass, SizesFrom sizes);
};

}  // namespace millrace::ops
