// Changes the colours of pixels, each by itself. CHANGE is a functor that takes
// an amount, which lies on the device.
//
// Defines: T = float double; CHANGE = ToHsvOf ToRgbOf
// Defines: T = half float; CHANGE = Saturate RotateHue
// Texts: image/pixels/colors.shared.h

using namespace millrace::ops::colors;

struct ToHsvOf {
  float unused;
  template <class S>
  MR_DEVICE Triple<S> operator()(const Triple<S>& p) const {
    return ToHsv(p);
  }
};
struct ToRgbOf {
  float unused;
  template <class S>
  MR_DEVICE Triple<S> operator()(const Triple<S>& p) const {
    return ToRgb(p);
  }
};

// `x` and `z` may be the same. `amount` is null where CHANGE takes none.
extern "C" __global__ void __launch_bounds__(256)
    Recolor(const T* x, T* z, const float* amount, int64_t pixels) {
  typedef Compute<T> S;
  const CHANGE change{amount == nullptr ? 0.0f : *amount};
  for (GRID_STRIDE(i, pixels)) {
    const Triple<S> from{static_cast<S>(x[3 * i]), static_cast<S>(x[3 * i + 1]),
                         static_cast<S>(x[3 * i + 2])};
    const Triple<S> to = change(from);
    z[3 * i] = static_cast<T>(to.a);
    z[3 * i + 1] = static_cast<T>(to.b);
    z[3 * i + 2] = static_cast<T>(to.c);
  }
}
