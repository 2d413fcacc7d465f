#include "millrace/ops/image/resize_plane.h"

#include <vector>

namespace millrace::ops {

StatusOr<ResizeOptions> ReadResizeOptions(const KernelInit& init) {
  ResizeOptions o;
  MR_ASSIGN_OR_RETURN(o.align_corners, init.Attr<bool>("align_corners"));
  if (init.HasAttr("half_pixel_centers")) {
    MR_ASSIGN_OR_RETURN(o.half_pixel_centers,
                        init.Attr<bool>("half_pixel_centers"));
  }
  if (o.align_corners && o.half_pixel_centers) {
    return InvalidArgument(
        "If half_pixel_centers is True, align_corners must be False.");
  }
  return o;
}

Status CheckImages(const Tensor& t, const char* what) {
  if (t.rank() != 4) {
    return InvalidArgument(what, " must be 4-dimensional",
                           t.shape().DebugString());
  }
  return OkStatus();
}

Status ExpectChannels(const Tensor& images) {
  if (images.dim(3) > 0) return OkStatus();
  return InvalidArgument("image must have at least one channel");
}

StatusOr<TensorShape> ResizedShape(const Tensor& images, const Tensor& size) {
  MR_RETURN_IF_ERROR(CheckImages(images, "input"));
  if (size.rank() != 1) {
    return InvalidArgument("shape_t must be 1-dimensional",
                           size.shape().DebugString());
  }
  if (size.num_elements() != 2) {
    return InvalidArgument("shape_t must have two elements",
                           size.shape().DebugString());
  }
  const std::vector<int64_t> sizes = IntValues(size);
  if (sizes[0] <= 0 || sizes[1] <= 0) {
    return InvalidArgument("output dimensions must be positive");
  }
  if (images.dim(1) <= 0 || images.dim(2) <= 0) {
    return InvalidArgument("input image must be of non-zero size");
  }
  return TensorShape::Make({images.dim(0), sizes[0], sizes[1], images.dim(3)});
}

Plane MakePlane(ResizeMethod method, const ResizeOptions& options,
                const TensorShape& original, const TensorShape& resized) {
  return {MakeAxis(method, options, original.dim(1), resized.dim(1)),
          MakeAxis(method, options, original.dim(2), resized.dim(2)),
          original.dim(1), original.dim(2), original.dim(3)};
}

}  // namespace millrace::ops
