#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

constexpr float kDefaultColors[][4] = {
    {1, 1, 0, 1},     {0, 0, 1, 1},     {1, 0, 0, 1},   {0, 1, 0, 1},
    {0.5, 0, 0.5, 1}, {0.5, 0.5, 0, 1}, {0.5, 0, 0, 1}, {0, 0, 0.5, 1},
    {0, 1, 1, 1},     {1, 0, 1, 1},
};

// Converts a relative coordinate to a row or column; NaN and huge values become
// a position far to the left.
int64_t PlaceOf(float relative, int64_t size) {
  const float at = relative * static_cast<float>(size - 1);
  if (!(std::abs(at) < 9e18f)) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(at);
}

struct Canvas {
  int64_t height, width, depth;
};

template <class T>
void DrawBox(const Canvas& c, const float* box, const T* color, T* pixels) {
  const int64_t top = PlaceOf(box[0], c.height);
  const int64_t left = PlaceOf(box[1], c.width);
  const int64_t bottom = PlaceOf(box[2], c.height);
  const int64_t right = PlaceOf(box[3], c.width);
  // The box is reversed or outside.
  if (top > bottom || left > right || top >= c.height || bottom < 0 ||
      left >= c.width || right < 0) {
    return;
  }
  const int64_t first_row = std::max<int64_t>(top, 0);
  const int64_t last_row = std::min(bottom, c.height - 1);
  const int64_t first_column = std::max<int64_t>(left, 0);
  const int64_t last_column = std::min(right, c.width - 1);
  const auto set = [&](int64_t y, int64_t x) {
    std::copy_n(color, c.depth, pixels + (y * c.width + x) * c.depth);
  };
  for (const int64_t y : {top, bottom}) {
    if (y < 0 || y >= c.height) continue;
    for (int64_t x = first_column; x <= last_column; ++x) set(y, x);
  }
  for (const int64_t x : {left, right}) {
    if (x < 0 || x >= c.width) continue;
    for (int64_t y = first_row; y <= last_row; ++y) set(y, x);
  }
}

// Returns colours of `depth` channels, one after the other; the default ones if
// the op has no table or an empty one.
StatusOr<CountedVector<float>> ReadColors(KernelContext& ctx, int64_t depth) {
  CountedVector<float> colors;
  const auto take = [&](const float* color) {
    colors.insert(colors.end(), color, color + depth);
  };
  if (ctx.num_inputs() > 2) {
    const Tensor& table = ctx.input(2);
    if (table.rank() != 2) {
      return InvalidArgument("colors must be a 2-D matrix",
                             table.shape().DebugString());
    }
    if (table.dim(1) < depth) {
      return InvalidArgument(
          "colors must have equal or more channels than the image provided: ",
          table.shape().DebugString());
    }
    for (int64_t i = 0; i < table.dim(0); ++i) {
      take(table.flat<float>().data() + i * table.dim(1));
    }
  }
  if (!colors.empty()) return colors;
  for (const auto& color : kDefaultColors) {
    const float grey[] = {1};
    take(depth == 1 ? grey : color);
  }
  return colors;
}

Status RunDrawBoxes(KernelContext& ctx) {
  const Tensor& images = ctx.input(0);
  const Tensor& boxes = ctx.input(1);
  if (images.rank() != 4) {
    return InvalidArgument("The rank of the images should be 4");
  }
  if (boxes.rank() != 3) {
    return InvalidArgument("The rank of the boxes tensor should be 3");
  }
  if (images.dim(0) != boxes.dim(0)) {
    return InvalidArgument("The batch sizes should be the same");
  }
  const Canvas canvas{images.dim(1), images.dim(2), images.dim(3)};
  if (canvas.depth != 1 && canvas.depth != 3 && canvas.depth != 4) {
    return InvalidArgument(
        "Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)");
  }
  if (boxes.dim(2) != 4) {
    return InvalidArgument(
        "The size of the third dimension of the box must be 4. Received: ",
        boxes.dim(2));
  }
  MR_ASSIGN_OR_RETURN(const CountedVector<float> colors,
                      ReadColors(ctx, canvas.depth));
  MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, images.shape()));
  if (out->num_elements() == 0) return OkStatus();
  std::memcpy(out->mutable_data(), images.data(), images.size_bytes());
  return Dispatch<float, Half>(out->dtype(), [&]<class T>() -> Status {
    CountedVector<T> table;
    for (const float v : colors) table.push_back(static_cast<T>(v));
    const int64_t count = boxes.dim(1);
    const auto in_table = static_cast<int64_t>(table.size()) / canvas.depth;
    const float* const corners = boxes.flat<float>().data();
    T* const pixels = out->mutable_flat<T>().data();
    const int64_t image_size = canvas.height * canvas.width * canvas.depth;
    for (int64_t i = 0; i < images.dim(0); ++i) {
      for (int64_t b = 0; b < count; ++b) {
        MR_RETURN_IF_ERROR(ctx.CheckCancelled());
        DrawBox(canvas, corners + (i * count + b) * 4,
                table.data() + b % in_table * canvas.depth,
                pixels + i * image_size);
      }
    }
    return OkStatus();
  });
}

}  // namespace

MR_KERNELS(DrawBoundingBoxes, Cpu){
    {.types = "T: float, half", .make = MakeFunctionKernel<RunDrawBoxes>}};
MR_KERNELS(DrawBoundingBoxesV2, Cpu){
    {.types = "T: float, half", .make = MakeFunctionKernel<RunDrawBoxes>}};

}  // namespace millrace::ops
