// Kernels that choose random windows of images. Numbers are taken from the
// stream in TensorFlow's order, so that equal seeds give equal windows.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/random/random_stream.h"
#include "millrace/ops/random/range_sampler.h"
#include "millrace/ops/random/stateless_seed.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

struct Window {
  int64_t top = 0, left = 0, bottom = 0, right = 0;

  float Area() const {
    return static_cast<float>((right - left) * (bottom - top));
  }
  Window And(const Window& o) const {
    const Window both{std::max(top, o.top), std::max(left, o.left),
                      std::min(bottom, o.bottom), std::min(right, o.right)};
    return both.top > both.bottom || both.left > both.right ? Window() : both;
  }
};

int64_t Rounded(float x) { return std::lrint(x); }

struct Ranges {
  float min_area, max_area;    // fractions of the image
  float min_ratio, max_ratio;  // width divided by height
};

// Chooses a window of this ratio. Returns false if none has an allowed area.
bool TryWindow(int64_t height, int64_t width, const Ranges& r, float ratio,
               SamplerBits* random, Window* out) {
  if (height <= 0 || width <= 0 || r.min_area > r.max_area) return false;
  const auto pixels_of = [&](float part) {
    return part * static_cast<float>(width) * static_cast<float>(height);
  };
  const float min_area = pixels_of(r.min_area);
  const float max_area = pixels_of(r.max_area);
  const auto width_of = [ratio](int64_t h) {
    return Rounded(static_cast<float>(h) * ratio);
  };
  int64_t h = Rounded(std::sqrt(min_area / ratio));
  int64_t highest = Rounded(std::sqrt(max_area / ratio));
  if (width_of(highest) > width) {
    constexpr float kEpsilon = 0.0000001f;
    highest = static_cast<int64_t>(
        (static_cast<double>(width) + 0.5 - double{kEpsilon}) / double{ratio});
    if (width_of(highest) > width) --highest;
  }
  highest = std::min(highest, height);
  h = std::min(h, highest);
  if (h < highest) {
    h += random->Below32(static_cast<uint32_t>(highest - h + 1));
  }
  int64_t w = width_of(h);
  // Rounding may have left the allowed range of areas.
  const auto area = [&] { return static_cast<float>(w * h); };
  if (area() < min_area) w = width_of(++h);
  if (area() > max_area) w = width_of(--h);
  if (area() < min_area || area() > max_area || w > width || h > height ||
      w <= 0 || h <= 0) {
    return false;
  }
  out->top =
      h < height ? random->Below32(static_cast<uint32_t>(height - h)) : 0;
  out->left = w < width ? random->Below32(static_cast<uint32_t>(width - w)) : 0;
  out->bottom = out->top + h;
  out->right = out->left + w;
  return true;
}

bool CoversOne(const Window& window, float part,
               const CountedVector<Window>& boxes) {
  if (window.Area() < 1) return false;
  return std::any_of(boxes.begin(), boxes.end(), [&](const Window& box) {
    return box.Area() >= 1 && window.And(box).Area() / box.Area() >= part;
  });
}

class SampleBoxKernel {
 public:
  static StatusOr<std::unique_ptr<SampleBoxKernel>> Make(
      const KernelInit& init) {
    auto k = std::make_unique<SampleBoxKernel>();
    if (init.HasAttr("min_object_covered")) {
      MR_ASSIGN_OR_RETURN(k->covered_, init.Attr<float>("min_object_covered"));
      MR_RETURN_IF_ERROR(CheckCovered(k->covered_));
    }
    MR_ASSIGN_OR_RETURN(k->whole_picture_,
                        init.Attr<bool>("use_image_if_no_bounding_boxes"));
    MR_ASSIGN_OR_RETURN(const auto ratios,
                        init.Attr<AttrValue::FloatList>("aspect_ratio_range"));
    if (ratios.size() != 2) {
      return InvalidArgument(
          "Aspect ratio range field must specify 2 dimensions");
    }
    if (!(ratios[0] > 0 && ratios[1] > 0)) {
      return InvalidArgument("Aspect ratio range must be non-negative: [",
                             ratios[0], ", ", ratios[1], "]");
    }
    MR_ASSIGN_OR_RETURN(const auto areas,
                        init.Attr<AttrValue::FloatList>("area_range"));
    if (areas.size() != 2) {
      return InvalidArgument("Area range field must specify 2 dimensions");
    }
    if (!(areas[0] > 0 && areas[1] > 0)) {
      return InvalidArgument("Area range must be non-negative: [", areas[0],
                             ", ", areas[1], "]");
    }
    if (!(areas[0] <= 1 && areas[1] <= 1)) {
      return InvalidArgument("Area range must be less then or equal to 1.0: [",
                             areas[0], ", ", areas[1], "]");
    }
    k->ranges_ = {areas[0], areas[1], ratios[0], ratios[1]};
    MR_ASSIGN_OR_RETURN(k->attempts_, init.Attr<int32_t>("max_attempts"));
    if (k->attempts_ <= 0) {
      return InvalidArgument("Max attempts must be non-negative: ",
                             k->attempts_);
    }
    if (init.HasAttr("seed")) {
      MR_ASSIGN_OR_RETURN(k->stream_, RandomStream::Make(init));
    }
    return k;
  }

  Status Run(KernelContext& ctx) const {
    Philox4x32 generator;
    if (stream_ != nullptr) {
      generator = stream_->Reserve(static_cast<uint64_t>(attempts_));
    } else {
      MR_ASSIGN_OR_RETURN(generator, PhiloxFromSeed(ctx.input(3)));
    }
    const Tensor& size = ctx.input(0);
    if (size.rank() != 1) {
      return InvalidArgument("image_size must be 1-dimensional",
                             size.shape().DebugString());
    }
    if (size.dim(0) != 3) {
      return InvalidArgument("image_size must contain 3 elements",
                             size.shape().DebugString());
    }
    return Dispatch<uint8_t, int8_t, int16_t, int32_t, int64_t>(
        size.dtype(),
        [&]<class T>() -> Status { return RunAs<T>(ctx, &generator); });
  }

 private:
  static Status CheckCovered(float covered) {
    if (!(covered >= 0)) {
      return InvalidArgument("Min object covered must be non-negative: ",
                             covered);
    }
    return OkStatus();
  }

  static StatusOr<CountedVector<Window>> ReadBoxes(const Tensor& boxes,
                                                   int64_t height,
                                                   int64_t width) {
    if (boxes.rank() != 3) {
      return InvalidArgument(
          "input boxes must be 3-dimensional [batch, num_boxes, coords]: ",
          boxes.shape().DebugString());
    }
    if (boxes.dim(2) != 4) {
      return InvalidArgument(
          "bounding boxes must have shape [4] or [*, 4], got ",
          boxes.shape().DebugString());
    }
    CountedVector<Window> windows;
    const auto values = boxes.flat<float>();
    for (size_t i = 0; i < values.size(); i += 4) {
      for (size_t k = 0; k < 4; ++k) {
        if (!(values[i + k] >= 0 && values[i + k] <= 1)) {
          return InvalidArgument(
              "All bounding box coordinates must be in [0.0, 1.0]: ",
              values[i + k]);
        }
      }
      const auto place = [](float part, int64_t whole) {
        return static_cast<int64_t>(part * static_cast<float>(whole));
      };
      windows.push_back({place(values[i], height), place(values[i + 1], width),
                         place(values[i + 2], height),
                         place(values[i + 3], width)});
    }
    return windows;
  }

  template <class T>
  Status RunAs(KernelContext& ctx, Philox4x32* generator) const {
    const auto sizes = ctx.input(0).flat<T>();
    const auto height = static_cast<int64_t>(sizes[0]);
    const auto width = static_cast<int64_t>(sizes[1]);
    constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
    if (height < 0 || height >= kMax) {
      return InvalidArgument("image height cannot be >= int32 max");
    }
    if (width < 0 || width >= kMax) {
      return InvalidArgument("image width cannot be >= int32 max");
    }
    float covered = covered_;
    if (ctx.num_inputs() > 2) {
      if (ctx.input(2).rank() != 0) {
        return InvalidArgument("min_object_covered must be 0-D, got shape ",
                               ctx.input(2).shape().DebugString());
      }
      covered = ctx.input(2).scalar<float>();
      MR_RETURN_IF_ERROR(CheckCovered(covered));
    }
    MR_ASSIGN_OR_RETURN(CountedVector<Window> boxes,
                        ReadBoxes(ctx.input(1), height, width));
    const Window picture{0, 0, height, width};
    if (boxes.empty()) {
      if (!whole_picture_) {
        return InvalidArgument(
            "No bounding boxes provided as input. One must enable "
            "use_image_if_no_bounding_boxes if you wish to not provide any "
            "bounding boxes.");
      }
      boxes.push_back(picture);
    }
    SamplerBits random(generator);
    Window window = picture;
    for (int64_t i = 0; i < attempts_; ++i) {
      if (i % 1024 == 0 || boxes.size() > 1024) {
        MR_RETURN_IF_ERROR(ctx.CheckCancelled());
      }
      const float ratio =
          random.Float() * (ranges_.max_ratio - ranges_.min_ratio) +
          ranges_.min_ratio;
      Window tried;
      if (TryWindow(height, width, ranges_, ratio, &random, &tried) &&
          CoversOne(tried, covered, boxes)) {
        window = tried;
        break;
      }
    }
    return SetOutputs<T>(ctx, window, height, width);
  }

  template <class T>
  static Status SetOutputs(KernelContext& ctx, const Window& w, int64_t height,
                           int64_t width) {
    ctx.set_output(0, Tensor::Vector<T>({static_cast<T>(w.top),
                                         static_cast<T>(w.left), T(0)}));
    ctx.set_output(1, Tensor::Vector<T>({static_cast<T>(w.bottom - w.top),
                                         static_cast<T>(w.right - w.left),
                                         static_cast<T>(-1)}));
    const auto part = [](int64_t place, int64_t whole) {
      return static_cast<float>(place) / static_cast<float>(whole);
    };
    ctx.set_output(
        2, Tensor::Of<float>({1, 1, 4},
                             {part(w.top, height), part(w.left, width),
                              part(w.bottom, height), part(w.right, width)}));
    return OkStatus();
  }

  float covered_ = 0;
  bool whole_picture_ = false;
  Ranges ranges_{};
  int64_t attempts_ = 0;
  std::unique_ptr<RandomStream> stream_;
};

#define MR_BOX_KERNEL_TYPES "T: uint8, int8, int16, int32, int64"

}  // namespace

MR_KERNELS(SampleDistortedBoundingBox, Cpu){
    {.types = MR_BOX_KERNEL_TYPES, .make = MakeKernel<SampleBoxKernel>}};
MR_KERNELS(SampleDistortedBoundingBoxV2, Cpu){
    {.types = MR_BOX_KERNEL_TYPES, .make = MakeKernel<SampleBoxKernel>}};
MR_KERNELS(StatelessSampleDistortedBoundingBox, Cpu){
    {.types = MR_BOX_KERNEL_TYPES, .make = MakeKernel<SampleBoxKernel>}};

}  // namespace millrace::ops
