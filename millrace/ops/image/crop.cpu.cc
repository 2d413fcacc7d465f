#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/base/target_clones.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/kernel/shared_text.h"
#include "millrace/ops/image/crop.h"
#include "millrace/ops/image/pixels/crop.shared.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

using crop::Between;
using crop::CropAxis;
using crop::StepBy;

struct Boxes {
  const float* corners = nullptr;  // y1, x1, y2, x2
  CountedVector<int64_t> image;    // of each box
  int64_t size() const { return static_cast<int64_t>(image.size()); }
};

StatusOr<Boxes> ReadBoxes(const Tensor& boxes, const Tensor& index,
                          int64_t images) {
  MR_RETURN_IF_ERROR(CheckCropBoxes(boxes, index));
  Boxes b{boxes.flat<float>().data(), ManyIntValues(index)};
  for (const int64_t i : b.image) {
    if (i < 0 || i >= images) return BadImageOfBox();
  }
  return b;
}

// The numbers of the boxes of each image, in their order.
class BoxesByImage {
 public:
  BoxesByImage(const Boxes& boxes, int64_t images)
      : first_(static_cast<size_t>(images) + 1), order_(boxes.image.size()) {
    for (const int64_t i : boxes.image) ++first_[static_cast<size_t>(i) + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    CountedVector<int64_t> next(first_.begin(), first_.end() - 1);
    for (size_t b = 0; b < order_.size(); ++b) {
      int64_t& at = next[static_cast<size_t>(boxes.image[b])];
      order_[static_cast<size_t>(at++)] = static_cast<int64_t>(b);
    }
  }
  absl::Span<const int64_t> operator[](int64_t image) const {
    const auto i = static_cast<size_t>(image);
    return absl::MakeConstSpan(order_).subspan(
        static_cast<size_t>(first_[i]),
        static_cast<size_t>(first_[i + 1] - first_[i]));
  }

 private:
  CountedVector<int64_t> first_, order_;
};

// Calls f(y, x, position in y, position in x) for the pixels of box `b`'s crop
// that lie in the image, and outside(y, x) for the others.
template <class F, class G>
void ForCrop(const Boxes& boxes, int64_t b, int64_t height, int64_t width,
             int64_t crop_height, int64_t crop_width, StepBy by, F&& f,
             G&& outside) {
  const float* c = boxes.corners + b * 4;
  const CropAxis ys(c[0], c[2], height, crop_height, by);
  const CropAxis xs(c[1], c[3], width, crop_width, by);
  if (crop_width == 0) return;  // the height may be endless
  for (int64_t y = 0; y < crop_height; ++y) {
    for (int64_t x = 0; x < crop_width; ++x) {
      const float in_y = ys.At(y), in_x = xs.At(x);
      if (crop::Inside(in_y, height) && crop::Inside(in_x, width)) {
        f(y, x, in_y, in_x);
      } else {
        outside(y, x);
      }
    }
  }
}

using CropTypes = Types<float, double, Half, int8_t, int16_t, int32_t, int64_t,
                        uint8_t, uint16_t>;

// Where a crop's pixel lies in a row of the image.
struct Column {
  int64_t low = 0, high = 0;
  float part = 0;
  bool inside = false;
};

// Interpolates a row of a crop between two rows of the image.
template <class T>
MR_TARGET_CLONES void BlendRow(const T* low, const T* high, float part,
                               const CountedVector<Column>& columns, int64_t n,
                               float outside, float* out) {
  for (const Column& column : columns) {
    float* const __restrict z = out;
    out += n;
    if (!column.inside) {
      for (int64_t c = 0; c < n; ++c) z[c] = outside;
      continue;
    }
    const T* const a = low + column.low * n;
    const T* const b = low + column.high * n;
    const T* const d = high + column.low * n;
    const T* const e = high + column.high * n;
    const float along = column.part;
    for (int64_t c = 0; c < n; ++c) {
      const auto left = static_cast<float>(a[c]);
      const auto below = static_cast<float>(d[c]);
      const float top = left + (static_cast<float>(b[c]) - left) * along;
      const float bottom = below + (static_cast<float>(e[c]) - below) * along;
      z[c] = top + (bottom - top) * part;
    }
  }
}

template <class T>
void CopyRow(const T* row, const CountedVector<Column>& columns, int64_t n,
             float outside, float* out) {
  for (const Column& column : columns) {
    for (int64_t c = 0; c < n; ++c) {
      out[c] =
          column.inside ? static_cast<float>(row[column.low * n + c]) : outside;
    }
    out += n;
  }
}

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
    MR_RETURN_IF_ERROR(CheckCropImages(image, "input image"));
    MR_ASSIGN_OR_RETURN(const Boxes boxes,
                        ReadBoxes(ctx.input(1), ctx.input(2), image.dim(0)));
    MR_ASSIGN_OR_RETURN(const std::vector<int64_t> sizes,
                        CropSize(ctx.input(3)));
    const int64_t n = image.dim(3), height = image.dim(1), width = image.dim(2);
    MR_ASSIGN_OR_RETURN(
        const TensorShape shape,
        TensorShape::Make({boxes.size(), sizes[0], sizes[1], n}));
    const absl::Span<const float> corners = ctx.input(1).flat<float>();
    if (!std::all_of(corners.begin(), corners.end(),
                     [](float v) { return std::isfinite(v); })) {
      return BadBox();
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    if (out->num_elements() == 0) return OkStatus();
    float* z = out->mutable_flat<float>().data();
    return Dispatch(CropTypes{}, image.dtype(), [&]<class T>() -> Status {
      const T* in = image.flat<T>().data();
      return ctx.ParallelFor(
          boxes.size() * sizes[0], sizes[1] * (n + 5),
          [&](int64_t begin, int64_t end) {
            CountedVector<Column> columns;
            int64_t box = -1;
            for (int64_t row = begin; row < end; ++row) {
              if (row / sizes[0] != box) {
                box = row / sizes[0];
                columns = Columns(boxes, box, width, sizes[1]);
              }
              const float* const c = boxes.corners + box * 4;
              const CropAxis ys(c[0], c[2], height, sizes[0], StepBy::kProduct);
              const float at = ys.At(row % sizes[0]);
              float* const to = z + row * sizes[1] * n;
              if (!crop::Inside(at, height)) {
                std::fill(to, to + sizes[1] * n, outside_);
                continue;
              }
              const T* from = in + boxes.image[box] * height * width * n;
              const auto line = [&](int64_t y) { return from + y * width * n; };
              if (nearest_) {
                CopyRow(line(crop::Nearest(at)), columns, n, outside_, to);
              } else {
                const Between v(at);
                BlendRow(line(v.low), line(v.high), v.part, columns, n,
                         outside_, to);
              }
            }
          });
    });
  }

 private:
  CountedVector<Column> Columns(const Boxes& boxes, int64_t box, int64_t width,
                                int64_t size) const {
    const float* const c = boxes.corners + box * 4;
    const CropAxis xs(c[1], c[3], width, size, StepBy::kProduct);
    CountedVector<Column> columns(static_cast<size_t>(size));
    for (int64_t x = 0; x < size; ++x) {
      const float at = xs.At(x);
      Column& column = columns[static_cast<size_t>(x)];
      column.inside = crop::Inside(at, width);
      if (!column.inside) continue;
      const Between h(at);
      column.low = nearest_ ? crop::Nearest(at) : h.low;
      column.high = h.high;
      column.part = h.part;
    }
    return columns;
  }

  bool nearest_ = false;
  float outside_ = 0;
};

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
    MR_RETURN_IF_ERROR(CheckCropImages(grads, "grads image"));
    MR_ASSIGN_OR_RETURN(const TensorShape shape, CroppedShape(ctx.input(3)));
    const int64_t height = shape.dim(1), width = shape.dim(2), n = shape.dim(3);
    MR_ASSIGN_OR_RETURN(const Boxes boxes,
                        ReadBoxes(ctx.input(1), ctx.input(2), shape.dim(0)));
    MR_RETURN_IF_ERROR(CheckCropGrads(grads, boxes.size(), n,
                                      "image_size and grads are incompatible"));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    if (out->num_elements() == 0) return OkStatus();
    const float* dy = grads.flat<float>().data();
    const int64_t crop_height = grads.dim(1), crop_width = grads.dim(2);
    return Dispatch<float, double, Half>(
        out->dtype(), [&]<class T>() -> Status {
          using S = ComputeType<T>;
          T* const z = out->mutable_flat<T>().data();
          const int64_t size = height * width * n;
          // The boxes of each image in their order, by which sums are rounded.
          const BoxesByImage of_image(boxes, shape.dim(0));
          const auto add_box = [&](int64_t b, S* to) {
            const auto pixel = [&](int64_t y, int64_t x, float in_y,
                                   float in_x) {
              const float* const d =
                  dy + ((b * crop_height + y) * crop_width + x) * n;
              const auto add = [&](int64_t py, int64_t px, float weight) {
                S* const __restrict sum = to + (py * width + px) * n;
                for (int64_t c = 0; c < n; ++c) {
                  sum[c] += static_cast<S>(d[c] * weight);
                }
              };
              if (nearest_) {
                add(crop::Nearest(in_y), crop::Nearest(in_x), 1);
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
          };
          const int64_t pixels =
              boxes.size() * crop_height * crop_width / shape.dim(0);
          return ctx.ParallelFor(
              shape.dim(0), size + pixels * (10 + 3 * n),
              [&](int64_t begin, int64_t end) {
                CountedVector<S> sums(static_cast<size_t>(size));
                for (int64_t image = begin; image < end; ++image) {
                  std::fill(sums.begin(), sums.end(), S(0));
                  for (const int64_t b : of_image[image]) {
                    if (!ctx.CheckCancelled().ok()) return;
                    add_box(b, sums.data());
                  }
                  for (int64_t k = 0; k < size; ++k) {
                    z[image * size + k] =
                        static_cast<T>(sums[static_cast<size_t>(k)]);
                  }
                }
              });
        });
  }

 private:
  bool nearest_ = false;
};

Status RunCropGradBoxes(KernelContext& ctx) {
  const Tensor& grads = ctx.input(0);
  const Tensor& image = ctx.input(1);
  MR_RETURN_IF_ERROR(CheckCropImages(grads, "grads image"));
  MR_RETURN_IF_ERROR(CheckCropImages(image, "input image"));
  const int64_t height = image.dim(1), width = image.dim(2), n = image.dim(3);
  MR_ASSIGN_OR_RETURN(const Boxes boxes,
                      ReadBoxes(ctx.input(2), ctx.input(3), image.dim(0)));
  MR_RETURN_IF_ERROR(
      CheckCropGrads(grads, boxes.size(), n, "image, grads depth differ"));
  MR_ASSIGN_OR_RETURN(Tensor* const out,
                      ctx.AllocateOutput(0, TensorShape({boxes.size(), 4})));
  const float* dy = grads.flat<float>().data();
  float* z = out->mutable_flat<float>().data();
  const int64_t crop_height = grads.dim(1), crop_width = grads.dim(2);
  return Dispatch(CropTypes{}, image.dtype(), [&]<class T>() -> Status {
    const T* in = image.flat<T>().data();
    const auto one = [&](int64_t b) {
      const T* from = in + boxes.image[b] * height * width * n;
      const float* box = boxes.corners + b * 4;
      const CropAxis ys(box[0], box[2], height, crop_height, StepBy::kRatio);
      const CropAxis xs(box[1], box[3], width, crop_width, StepBy::kRatio);
      float d[4] = {};
      const auto add = [&](int side, const CropAxis& axis, int64_t size,
                           int64_t i, float grad) {
        const crop::BoxEnds ends =
            crop::GradientOfBox(axis, static_cast<float>(size - 1), i, grad);
        d[side] += ends.low;
        d[side + 2] += ends.high;
      };
      const auto pixel = [&](int64_t y, int64_t x, float in_y, float in_x) {
        const Between v(in_y), h(in_x);
        const T* const top_left = from + (v.low * width + h.low) * n;
        const T* const top_right = from + (v.low * width + h.high) * n;
        const T* const bottom_left = from + (v.high * width + h.low) * n;
        const T* const bottom_right = from + (v.high * width + h.high) * n;
        const float* const grads_of_pixel =
            dy + ((b * crop_height + y) * crop_width + x) * n;
        // Channels have the same weights.
        float down = 0, right = 0;
        for (int64_t c = 0; c < n; ++c) {
          const auto p = static_cast<float>(top_left[c]);
          const auto q = static_cast<float>(top_right[c]);
          const auto r = static_cast<float>(bottom_left[c]);
          const auto s = static_cast<float>(bottom_right[c]);
          const float grad = grads_of_pixel[c];
          down += grad * ((1 - h.part) * (r - p) + h.part * (s - q));
          right += grad * ((1 - v.part) * (q - p) + v.part * (s - r));
        }
        add(0, ys, height, y, down);
        add(1, xs, width, x, right);
      };
      ForCrop(boxes, b, height, width, crop_height, crop_width, StepBy::kRatio,
              pixel, [](int64_t, int64_t) {});
      std::copy(d, d + 4, z + b * 4);
    };
    if (n == 0) {
      std::fill_n(z, 4 * boxes.size(), 0.0f);
      return OkStatus();
    }
    return ctx.ParallelFor(boxes.size(),
                           crop_height * crop_width * (10 + 8 * n),
                           [&](int64_t begin, int64_t end) {
                             for (int64_t b = begin; b < end; ++b) one(b);
                           });
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
