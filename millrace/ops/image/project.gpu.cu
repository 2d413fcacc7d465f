// Images that are seen by projective transforms: each pixel of the result reads
// one of the image, or four.
//
// Defines: T = uint8_t int32_t int64_t half float double
// Texts: image/pixels/project.shared.h

using namespace millrace::ops::project;

// Returns a computed value as an element: of an integer that is out of the
// type's range, 0 or its smallest number, as on CPUs.
MR_DEVICE T ElementOf(float value) {
  if constexpr (kIsInteger<T>) {
    if (!(fabsf(value) < 9.2e18f)) return Lowest<T>();
    return static_cast<T>(static_cast<int64_t>(value));
  } else {
    return static_cast<T>(value);
  }
}

// `step` is the distance of the images' transforms, 0 if all have one.
extern "C" __global__ void __launch_bounds__(256)
    Project(const T* x, const float* transforms, T* z, int64_t n,
            int64_t height, int64_t width, int64_t depth, int64_t out_height,
            int64_t out_width, int64_t step, float outside, int32_t mode,
            bool bilinear) {
  Picture<T> picture{nullptr, height, width, depth, ElementOf(outside)};
  for (GRID_STRIDE(i, n)) {
    const int64_t c = i % depth, pixel = i / depth;
    const int64_t line = pixel / out_width, image = line / out_height;
    const Place place = Projected(
        transforms + image * step, static_cast<float>(pixel - line * out_width),
        static_cast<float>(line - image * out_height));
    if (!place.exists) {
      z[i] = picture.outside;
      continue;
    }
    const float px = MapInto(static_cast<FillMode>(mode), place.x, width);
    const float py = MapInto(static_cast<FillMode>(mode), place.y, height);
    picture.pixels = x + image * height * width * depth;
    z[i] = bilinear ? ElementOf(picture.Bilinear(py, px, c))
                    : picture.At(roundf(py), roundf(px), c);
  }
}
