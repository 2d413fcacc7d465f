#include <algorithm>
#include <cmath>
#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

struct Boxes {
  const float* corners = nullptr;  // y1, x1, y2, x2
  std::vector<int64_t> image;      // of each box
  int64_t size() const { return static_cast<int64_t>(image.size()); }
};

StatusOr<Boxes> ReadBoxes(const Tensor& boxes, const Tensor& index,
                          int64_t images) {
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
  Boxes b{boxes.flat<float>().data(), IntValues(index)};
  for (const int64_t i : b.image) {
    if (i < 0 || i >= images) {
      return OutOfRange("box_index has values outside [0, batch_size)");
    }
  }
  return b;
}

// The positions of a crop's pixels along one axis of the image. Whether the
// last one is inside depends on the order of rounding, which in stock differs
// for the gradient by boxes.
enum class StepBy { kProduct, kRatio };
struct CropAxis {
  float first, step, ratio;
  bool single;

  CropAxis(float low, float high, int64_t size, int64_t crop, StepBy by) {
    const auto last = static_cast<float>(size - 1);
    const auto steps = static_cast<float>(crop - 1);
    single = crop <= 1;
    ratio = single ? 0 : last / steps;
    step = single                   ? 0
           : by == StepBy::kProduct ? (high - low) * last / steps
                                    : (high - low) * ratio;
    first = single ? 0.5f * (low + high) * last : low * last;
  }
  float At(int64_t i) const { return first + static_cast<float>(i) * step; }
};

// The two pixels around a position, and the fraction of the way between them.
struct Between {
  int64_t low, high;
  float part;

  explicit Between(float at)
      : low(static_cast<int64_t>(std::floor(at))),
        high(static_cast<int64_t>(std::ceil(at))),
        part(at - static_cast<float>(low)) {}
};

// The size may be rounded up when it becomes a float.
bool Inside(float at, int64_t size) {
  return at >= 0 && at <= static_cast<float>(size - 1) &&
         static_cast<int64_t>(std::ceil(at)) < size;
}

// Calls f(y, x, position in y, position in x) for the pixels of box `b`'s crop
// that lie in the image, and outside(y, x) for the others.
template <class F, class G>
void ForCrop(const Boxes& boxes, int64_t b, int64_t height, int64_t width,
             int64_t crop_height, int64_t crop_width, StepBy by, F&& f,
             G&& outside) {
  const float* c = boxes.corners + b * 4;
  const CropAxis ys(c[0], c[2], height, crop_height, by);
  const CropAxis xs(c[1], c[3], width, crop_width, by);
  for (int64_t y = 0; y < crop_height; ++y) {
    for (int64_t x = 0; x < crop_width; ++x) {
      const float in_y = ys.At(y), in_x = xs.At(x);
      if (Inside(in_y, height) && Inside(in_x, width)) {
        f(y, x, in_y, in_x);
      } else {
        outside(y, x);
      }
    }
  }
}

Status CheckRank4(const Tensor& t, const char* what) {
  if (t.rank() != 4) {
    return InvalidArgument(what, " must be 4-D", t.shape().DebugString());
  }
  if (t.dim(1) <= 0 || t.dim(2) <= 0) {
    return InvalidArgument(what, " dimensions must be positive");
  }
  return OkStatus();
}

using CropTypes = Types<float, double, Half, int8_t, int16_t, int32_t, int64_t,
                        uint8_t, uint16_t>;

class CropKernel {
 public:
  static StatusOr<CropKernel> Make(const KernelInit& init) {
    CropKernel k;
    MR_ASSIGN_OR_RETURN(const auto method, init.Attr<std::string>("method"));
    k.nearest_ = method == "nearest";
    MR_ASSIGN_OR_RETURN(k.outside_, init.Attr<float>("extrapolation_value"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& image = ctx.input(0);
    MR_RETURN_IF_ERROR(CheckRank4(image, "input image"));
    MR_ASSIGN_OR_RETURN(const Boxes boxes,
                        ReadBoxes(ctx.input(1), ctx.input(2), image.dim(0)));
    const Tensor& size = ctx.input(3);
    if (size.rank() != 1) {
      return InvalidArgument("crop_size must be 1-D",
                             size.shape().DebugString());
    }
    if (size.dim(0) != 2) {
      return InvalidArgument("crop_size must have two elements",
                             size.shape().DebugString());
    }
    const std::vector<int64_t> sizes = IntValues(size);
    if (sizes[0] <= 0 || sizes[1] <= 0) {
      return InvalidArgument("crop dimensions must be positive");
    }
    const int64_t n = image.dim(3), height = image.dim(1), width = image.dim(2);
    MR_ASSIGN_OR_RETURN(
        const TensorShape shape,
        TensorShape::Make({boxes.size(), sizes[0], sizes[1], n}));
    const absl::Span<const float> corners = ctx.input(1).flat<float>();
    if (!std::all_of(corners.begin(), corners.end(),
                     [](float v) { return std::isfinite(v); })) {
      return InvalidArgument(
          "Boxes contains at least one element that is not finite");
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    if (out->num_elements() == 0) return OkStatus();
    float* z = out->mutable_flat<float>().data();
    return Dispatch(CropTypes{}, image.dtype(), [&]<class T>() -> Status {
      const T* in = image.flat<T>().data();
      return ctx.ParallelFor(
          boxes.size(), sizes[0] * sizes[1] * n * 6,
          [&](int64_t begin, int64_t end) {
            for (int64_t b = begin; b < end; ++b) {
              const T* from = in + boxes.image[b] * height * width * n;
              float* to = z + b * sizes[0] * sizes[1] * n;
              const auto pixel = [&](int64_t y, int64_t x, float in_y,
                                     float in_x) {
                float* at = to + (y * sizes[1] + x) * n;
                if (nearest_) {
                  const auto py = static_cast<int64_t>(std::round(in_y));
                  const auto px = static_cast<int64_t>(std::round(in_x));
                  for (int64_t c = 0; c < n; ++c) {
                    at[c] = static_cast<float>(from[(py * width + px) * n + c]);
                  }
                  return;
                }
                const Between v(in_y), h(in_x);
                for (int64_t c = 0; c < n; ++c) {
                  const auto value = [&](int64_t py, int64_t px) {
                    return static_cast<float>(from[(py * width + px) * n + c]);
                  };
                  const float top =
                      value(v.low, h.low) +
                      (value(v.low, h.high) - value(v.low, h.low)) * h.part;
                  const float bottom =
                      value(v.high, h.low) +
                      (value(v.high, h.high) - value(v.high, h.low)) * h.part;
                  at[c] = top + (bottom - top) * v.part;
                }
              };
              ForCrop(boxes, b, height, width, sizes[0], sizes[1],
                      StepBy::kProduct, pixel, [&](int64_t y, int64_t x) {
                        float* at = to + (y * sizes[1] + x) * n;
                        std::fill(at, at + n, outside_);
                      });
            }
          });
    });
  }

 private:
  bool nearest_ = false;
  float outside_ = 0;
};

Status CheckGrads(const Tensor& grads, const Boxes& boxes, int64_t depth,
                  const char* other_depth) {
  if (grads.dim(0) != boxes.size()) {
    return InvalidArgument("boxes and grads have incompatible shape");
  }
  if (grads.dim(3) != depth) {
    return InvalidArgument(other_depth);
  }
  return OkStatus();
}

class CropGradImageKernel {
 public:
  static StatusOr<CropGradImageKernel> Make(const KernelInit& init) {
    CropGradImageKernel k;
    MR_ASSIGN_OR_RETURN(const auto method, init.Attr<std::string>("method"));
    k.nearest_ = method == "nearest";
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& grads = ctx.input(0);
    MR_RETURN_IF_ERROR(CheckRank4(grads, "grads image"));
    const Tensor& size = ctx.input(3);
    if (size.rank() != 1) {
      return InvalidArgument("image_size must be 1-D",
                             size.shape().DebugString());
    }
    if (size.dim(0) != 4) {
      return InvalidArgument("image_size must have 4 elements",
                             size.shape().DebugString());
    }
    for (const int64_t n : IntValues(size)) {
      if (n < 0) {
        return InvalidArgument("Expected a non-negative size, got ", n);
      }
    }
    MR_ASSIGN_OR_RETURN(const TensorShape shape, ShapeFromTensor(ctx.input(3)));
    const int64_t height = shape.dim(1), width = shape.dim(2), n = shape.dim(3);
    if (height <= 0 || width <= 0) {
      return InvalidArgument("image dimensions must be positive");
    }
    MR_ASSIGN_OR_RETURN(const Boxes boxes,
                        ReadBoxes(ctx.input(1), ctx.input(2), shape.dim(0)));
    MR_RETURN_IF_ERROR(
        CheckGrads(grads, boxes, n, "image_size and grads are incompatible"));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    if (out->num_elements() == 0) return OkStatus();
    const float* dy = grads.flat<float>().data();
    const int64_t crop_height = grads.dim(1), crop_width = grads.dim(2);
    return Dispatch<float, double, Half>(
        out->dtype(), [&]<class T>() -> Status {
          using S = ComputeType<T>;
          std::vector<S> sums(static_cast<size_t>(out->num_elements()));
          for (int64_t b = 0; b < boxes.size(); ++b) {
            MR_RETURN_IF_ERROR(ctx.CheckCancelled());
            S* to = sums.data() + boxes.image[b] * height * width * n;
            const auto pixel = [&](int64_t y, int64_t x, float in_y,
                                   float in_x) {
              const float* d =
                  dy + ((b * crop_height + y) * crop_width + x) * n;
              const auto add = [&](int64_t py, int64_t px, float weight) {
                for (int64_t c = 0; c < n; ++c) {
                  to[(py * width + px) * n + c] +=
                      static_cast<S>(d[c] * weight);
                }
              };
              if (nearest_) {
                add(static_cast<int64_t>(std::round(in_y)),
                    static_cast<int64_t>(std::round(in_x)), 1);
                return;
              }
              const Between v(in_y), h(in_x);
              add(v.low, h.low, (1 - v.part) * (1 - h.part));
              add(v.low, h.high, (1 - v.part) * h.part);
              add(v.high, h.low, v.part * (1 - h.part));
              add(v.high, h.high, v.part * h.part);
            };
            ForCrop(boxes, b, height, width, crop_height, crop_width,
                    StepBy::kProduct, pixel, [](int64_t, int64_t) {});
          }
          T* z = out->mutable_flat<T>().data();
          for (size_t i = 0; i < sums.size(); ++i) {
            z[i] = static_cast<T>(sums[i]);
          }
          return OkStatus();
        });
  }

 private:
  bool nearest_ = false;
};

Status RunCropGradBoxes(KernelContext& ctx) {
  const Tensor& grads = ctx.input(0);
  const Tensor& image = ctx.input(1);
  MR_RETURN_IF_ERROR(CheckRank4(grads, "grads image"));
  MR_RETURN_IF_ERROR(CheckRank4(image, "input image"));
  const int64_t height = image.dim(1), width = image.dim(2), n = image.dim(3);
  MR_ASSIGN_OR_RETURN(const Boxes boxes,
                      ReadBoxes(ctx.input(2), ctx.input(3), image.dim(0)));
  MR_RETURN_IF_ERROR(CheckGrads(grads, boxes, n, "image, grads depth differ"));
  MR_ASSIGN_OR_RETURN(Tensor* const out,
                      ctx.AllocateOutput(0, TensorShape({boxes.size(), 4})));
  const float* dy = grads.flat<float>().data();
  float* z = out->mutable_flat<float>().data();
  const int64_t crop_height = grads.dim(1), crop_width = grads.dim(2);
  return Dispatch(CropTypes{}, image.dtype(), [&]<class T>() -> Status {
    const T* in = image.flat<T>().data();
    for (int64_t b = 0; b < boxes.size(); ++b) {
      MR_RETURN_IF_ERROR(ctx.CheckCancelled());
      const T* from = in + boxes.image[b] * height * width * n;
      const float* box = boxes.corners + b * 4;
      const CropAxis ys(box[0], box[2], height, crop_height, StepBy::kRatio);
      const CropAxis xs(box[1], box[3], width, crop_width, StepBy::kRatio);
      float d[4] = {};
      // `last` is the size of the image in relative coordinates.
      const auto add = [&](int side, const CropAxis& axis, float last,
                           int64_t i, float grad) {
        if (axis.single) {
          d[side] += grad * 0.5f * last;
          d[side + 2] += grad * 0.5f * last;
        } else {
          const float along = static_cast<float>(i) * axis.ratio;
          d[side] += grad * (last - along);
          d[side + 2] += grad * along;
        }
      };
      const auto pixel = [&](int64_t y, int64_t x, float in_y, float in_x) {
        const Between v(in_y), h(in_x);
        for (int64_t c = 0; c < n; ++c) {
          const auto value = [&](int64_t py, int64_t px) {
            return static_cast<float>(from[(py * width + px) * n + c]);
          };
          const float top_left = value(v.low, h.low);
          const float top_right = value(v.low, h.high);
          const float bottom_left = value(v.high, h.low);
          const float bottom_right = value(v.high, h.high);
          const float grad =
              dy[((b * crop_height + y) * crop_width + x) * n + c];
          add(0, ys, static_cast<float>(height - 1), y,
              grad * ((1 - h.part) * (bottom_left - top_left) +
                      h.part * (bottom_right - top_right)));
          add(1, xs, static_cast<float>(width - 1), x,
              grad * ((1 - v.part) * (top_right - top_left) +
                      v.part * (bottom_right - bottom_left)));
        }
      };
      ForCrop(boxes, b, height, width, crop_height, crop_width, StepBy::kRatio,
              pixel, [](int64_t, int64_t) {});
      std::copy(d, d + 4, z + b * 4);
    }
    return OkStatus();
  });
}

#define MR_CROP_TYPES \
  "T: float, double, half, int8, int16, int32, int64, uint8, uint16"

}  // namespace

MR_KERNELS(CropAndResize, Cpu){{.types = MR_CROP_TYPES,
                                .make = MakeKernel<CropKernel>,
                                .host = "crop_size"}};
MR_KERNELS(CropAndResizeGradImage,
           Cpu){{.types = "T: float, double, half",
                 .make = MakeKernel<CropGradImageKernel>,
                 .host = "image_size"}};
MR_KERNELS(CropAndResizeGradBoxes, Cpu){
    {.types = MR_CROP_TYPES, .make = MakeFunctionKernel<RunCropGradBoxes>}};

}  // namespace millrace::ops
