// Crops of images, resized, and their gradients. What of boxes is wrong is
// found here, and such boxes take no part.
//
// Defines: T = half float double
// Texts: image/pixels/crop.shared.h

using namespace millrace::ops::crop;

// Sets bits of *wrong: 1 for a box without an image, 2 for one that is not
// finite.
extern "C" __global__ void __launch_bounds__(256)
    CheckBoxes(const float* boxes, const int32_t* image, int32_t* wrong,
               int64_t n, int64_t images) {
  unsigned mine = 0;
  for (GRID_STRIDE(b, n)) {
    if (image[b] < 0 || image[b] >= images) mine |= 1u;
    for (int i = 0; i < 4; ++i) {
      if (!IsFinite(boxes[4 * b + i])) mine |= 2u;
    }
  }
  if (mine != 0) atomicOr(reinterpret_cast<unsigned*>(wrong), mine);
}

// An image and the crops of boxes, as arguments.
struct Crops {
  const float* boxes;
  const int32_t* image;  // of each box
  int64_t count, images;
  int64_t height, width, depth;
  int64_t crop_height, crop_width;

  MR_DEVICE CropAxis Rows(int64_t b, StepBy by) const {
    return CropAxis(boxes[4 * b], boxes[4 * b + 2], height, crop_height, by);
  }
  MR_DEVICE CropAxis Columns(int64_t b, StepBy by) const {
    return CropAxis(boxes[4 * b + 1], boxes[4 * b + 3], width, crop_width, by);
  }
  MR_DEVICE bool HasImage(int64_t b) const {
    return image[b] >= 0 && image[b] < images;
  }
};

MR_DEVICE float Value(const T* x, const Crops& a, int64_t y, int64_t column) {
  return static_cast<float>(x[(y * a.width + column) * a.depth]);
}

extern "C" __global__ void __launch_bounds__(256)
    Crop(const T* x, float* z, Crops a, float outside, bool nearest) {
  const int64_t n = a.count * a.crop_height * a.crop_width * a.depth;
  for (GRID_STRIDE(i, n)) {
    const int64_t c = i % a.depth, pixel = i / a.depth;
    const int64_t row = pixel / a.crop_width, b = row / a.crop_height;
    z[i] = outside;
    if (!a.HasImage(b)) continue;
    const float in_y = a.Rows(b, StepBy::kProduct).At(row - b * a.crop_height);
    const float in_x =
        a.Columns(b, StepBy::kProduct).At(pixel - row * a.crop_width);
    if (!Inside(in_y, a.height) || !Inside(in_x, a.width)) continue;
    const T* const from = x + a.image[b] * a.height * a.width * a.depth + c;
    if (nearest) {
      z[i] = Value(from, a, Nearest(in_y), Nearest(in_x));
      continue;
    }
    const Between v(in_y), h(in_x);
    const float top_left = Value(from, a, v.low, h.low);
    const float bottom_left = Value(from, a, v.high, h.low);
    const float top =
        top_left + (Value(from, a, v.low, h.high) - top_left) * h.part;
    const float bottom =
        bottom_left + (Value(from, a, v.high, h.high) - bottom_left) * h.part;
    z[i] = top + (bottom - top) * v.part;
  }
}

// The pixels [begin, end) of a crop that may touch the pixel `at` of the image:
// those whose positions lie less than a pixel away, and some more, since
// positions are rounded.
struct Touching {
  int64_t begin, end;

  MR_DEVICE Touching(const CropAxis& axis, int64_t at, int64_t crop)
      : begin(0), end(crop) {
    if (!(fabsf(axis.step) > 0)) return;
    const double step = axis.step, from = static_cast<double>(at) - axis.first;
    const double a = (from - 1) / step, b = (from + 1) / step;
    const double far =
        1 + (fabs(static_cast<double>(at)) + fabs(axis.first) + 2) * 2e-7 /
                fabs(step);
    const double low = floor(MinOf(a, b) - far), high = ceil(MaxOf(a, b) + far);
    if (low > 0) begin = low < crop ? static_cast<int64_t>(low) : crop;
    if (high < 0) {
      end = 0;
    } else if (high < crop - 1) {
      end = static_cast<int64_t>(high) + 1;
    }
  }
};

// Each element of an image sums the gradients of the crops' pixels that read
// it, in the order of CPUs.
extern "C" __global__ void __launch_bounds__(256)
    GradientOfImages(const float* dy, T* z, Crops a, bool nearest) {
  const int64_t n = a.images * a.height * a.width * a.depth;
  for (GRID_STRIDE(i, n)) {
    const int64_t c = i % a.depth, pixel = i / a.depth;
    const int64_t line = pixel / a.width, image = line / a.height;
    const int64_t py = line - image * a.height, px = pixel - line * a.width;
    Compute<T> sum = 0;
    for (int64_t b = 0; b < a.count; ++b) {
      if (a.image[b] != image) continue;
      const CropAxis rows = a.Rows(b, StepBy::kProduct);
      const CropAxis columns = a.Columns(b, StepBy::kProduct);
      const Touching ys(rows, py, a.crop_height);
      const Touching xs(columns, px, a.crop_width);
      const float* const grads =
          dy + b * a.crop_height * a.crop_width * a.depth + c;
      for (int64_t y = ys.begin; y < ys.end; ++y) {
        const float in_y = rows.At(y);
        if (!Inside(in_y, a.height)) continue;
        const Between v(in_y);
        if (nearest ? Nearest(in_y) != py : v.low != py && v.high != py) {
          continue;
        }
        for (int64_t x = xs.begin; x < xs.end; ++x) {
          const float in_x = columns.At(x);
          if (!Inside(in_x, a.width)) continue;
          const float d = grads[(y * a.crop_width + x) * a.depth];
          if (nearest) {
            if (Nearest(in_x) == px) sum += d;
            continue;
          }
          const Between h(in_x);
          const float of_rows[] = {1 - v.part, v.part};
          const float of_columns[] = {1 - h.part, h.part};
          for (int k = 0; k < 4; ++k) {
            if ((k / 2 == 0 ? v.low : v.high) == py &&
                (k % 2 == 0 ? h.low : h.high) == px) {
              sum += __fmul_rn(d, of_rows[k / 2] * of_columns[k % 2]);
            }
          }
        }
      }
    }
    z[i] = static_cast<T>(sum);
  }
}

struct FourSums {
  double v[4];
};
struct FourSumsOp {
  template <class X>
  MR_DEVICE static X Identity() {
    return X{{0, 0, 0, 0}};
  }
  MR_DEVICE FourSums operator()(FourSums a, const FourSums& b) const {
    for (int i = 0; i < 4; ++i) a.v[i] += b.v[i];
    return a;
  }
};

// z[box, 4]; a block for each box.
extern "C" __global__ void __launch_bounds__(256)
    GradientOfBoxes(const float* dy, const T* x, float* z, Crops a) {
  const int64_t elements = a.crop_height * a.crop_width * a.depth;
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    FourSums d{{0, 0, 0, 0}};
    if (a.HasImage(b)) {
      const CropAxis rows = a.Rows(b, StepBy::kRatio);
      const CropAxis columns = a.Columns(b, StepBy::kRatio);
      const T* const image = x + a.image[b] * a.height * a.width * a.depth;
      for (int64_t i = threadIdx.x; i < elements; i += blockDim.x) {
        const int64_t c = i % a.depth, pixel = i / a.depth;
        const int64_t y = pixel / a.crop_width, at = pixel - y * a.crop_width;
        const float in_y = rows.At(y), in_x = columns.At(at);
        if (!Inside(in_y, a.height) || !Inside(in_x, a.width)) continue;
        const Between v(in_y), h(in_x);
        const T* const from = image + c;
        const float top_left = Value(from, a, v.low, h.low);
        const float top_right = Value(from, a, v.low, h.high);
        const float bottom_left = Value(from, a, v.high, h.low);
        const float bottom_right = Value(from, a, v.high, h.high);
        const float grad = dy[b * elements + i];
        const BoxEnds down =
            GradientOfBox(rows, static_cast<float>(a.height - 1), y,
                          grad * ((1 - h.part) * (bottom_left - top_left) +
                                  h.part * (bottom_right - top_right)));
        const BoxEnds right =
            GradientOfBox(columns, static_cast<float>(a.width - 1), at,
                          grad * ((1 - v.part) * (top_right - top_left) +
                                  v.part * (bottom_right - bottom_left)));
        d.v[0] += down.low;
        d.v[1] += right.low;
        d.v[2] += down.high;
        d.v[3] += right.high;
      }
    }
    d = BlockReduce<FourSumsOp>(d);
    if (threadIdx.x < 4) {
      z[4 * b + threadIdx.x] = static_cast<float>(d.v[threadIdx.x]);
    }
  }
}
