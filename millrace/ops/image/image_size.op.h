// Shape functions of ops whose images have a size that is an input.
#pragma once

#include "millrace/graph/shape_context.h"

namespace millrace::ops {

struct ImagesOfSize {
  int64_t batch = kUnknownDim;
  int size_input = 1;  // the input that holds [height, width]
  int64_t channels = kUnknownDim;
};

// Sets output 0 to [batch, height, width, channels], as far as the size is
// known. Returns INVALID_ARGUMENT unless the input is a vector of two sizes.
Status ReturnImages(ShapeContext& c, const ImagesOfSize& images);

// Sets output 0 to the images of input 0 with the size that input 1 holds.
Status ResizeShape(ShapeContext& c);

}  // namespace millrace::ops
