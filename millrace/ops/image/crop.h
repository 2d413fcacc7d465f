// The checks of CropAndResize and its gradients, on all devices.
#pragma once

#include <cstdint>
#include <vector>

#include "millrace/kernel/kernel_context.h"

namespace millrace::ops {

inline Status BadImageOfBox() {
  return OutOfRange("box_index has values outside [0, batch_size)");
}
inline Status BadBox() {
  return InvalidArgument(
      "Boxes contains at least one element that is not finite");
}

inline Status CheckCropImages(const Tensor& t, const char* what) {
  if (t.rank() != 4) {
    return InvalidArgument(what, " must be 4-D", t.shape().DebugString());
  }
  if (t.dim(1) <= 0 || t.dim(2) <= 0) {
    return InvalidArgument(what, " dimensions must be positive");
  }
  return OkStatus();
}

// `index` has the image of each box.
inline Status CheckCropBoxes(const Tensor& boxes, const Tensor& index) {
  if (boxes.rank() != 2) {
    return InvalidArgument("boxes must be 2-D, got: ",
                           boxes.shape().DebugString());
  }
  if (boxes.dim(1) != 4) return InvalidArgument("boxes must have 4 columns");
  if (index.rank() != 1) {
    return InvalidArgument("box_indices must be rank 1 but is shape ",
                           index.shape().DebugString());
  }
  if (index.dim(0) != boxes.dim(0)) {
    return InvalidArgument("box_index has incompatible shape");
  }
  return OkStatus();
}

// Returns the height and the width of crops.
inline StatusOr<std::vector<int64_t>> CropSize(const Tensor& size) {
  if (size.rank() != 1) {
    return InvalidArgument("crop_size must be 1-D", size.shape().DebugString());
  }
  if (size.dim(0) != 2) {
    return InvalidArgument("crop_size must have two elements",
                           size.shape().DebugString());
  }
  std::vector<int64_t> sizes = IntValues(size);
  if (sizes[0] <= 0 || sizes[1] <= 0) {
    return InvalidArgument("crop dimensions must be positive");
  }
  return sizes;
}

// Returns the shape of the images that were cropped.
inline StatusOr<TensorShape> CroppedShape(const Tensor& size) {
  if (size.rank() != 1) {
    return InvalidArgument("image_size must be 1-D",
                           size.shape().DebugString());
  }
  if (size.dim(0) != 4) {
    return InvalidArgument("image_size must have 4 elements",
                           size.shape().DebugString());
  }
  for (const int64_t n : IntValues(size)) {
    if (n < 0) return InvalidArgument("Expected a non-negative size, got ", n);
  }
  MR_ASSIGN_OR_RETURN(const TensorShape shape, ShapeFromTensor(size));
  if (shape.dim(1) <= 0 || shape.dim(2) <= 0) {
    return InvalidArgument("image dimensions must be positive");
  }
  return shape;
}

inline Status CheckCropGrads(const Tensor& grads, int64_t boxes, int64_t depth,
                             const char* other_depth) {
  if (grads.dim(0) != boxes) {
    return InvalidArgument("boxes and grads have incompatible shape");
  }
  if (grads.dim(3) != depth) return InvalidArgument(other_depth);
  return OkStatus();
}

}  // namespace millrace::ops
