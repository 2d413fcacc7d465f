// Copies windows of volumes side by side: each element of the result is one of
// the input, or 0 beside it. Images are volumes whose last dimension is 1.
//
// Defines: T = uint8_t uint16_t uint32_t uint64_t complex128

// Along one of the three dimensions.
struct PatchWindow {
  IntDivisor output, filter;
  int32_t input, stride, dilation, before;

  // Returns the place in the input of element `at` of window `o`; outside if
  // it is not in [0, input).
  MR_DEVICE int64_t Place(uint32_t o, uint32_t at) const {
    return static_cast<int64_t>(o) * stride +
           static_cast<int64_t>(at) * dilation - before;
  }
};
struct PatchArgs {
  uint64_t x, z;
  uint32_t total;     // elements of the result, from `z` on
  int64_t first_row;  // of the result: windows at one place of dimension 0
  IntDivisor depth;
  PatchWindow windows[3];
};

extern "C" __global__ void __launch_bounds__(256) Patches(const PatchArgs a) {
  const T* const x = reinterpret_cast<const T*>(a.x);
  T* const z = reinterpret_cast<T*>(a.z);
  const PatchWindow& w0 = a.windows[0];
  const PatchWindow& w1 = a.windows[1];
  const PatchWindow& w2 = a.windows[2];
  for (GRID_STRIDE(i, a.total)) {
    uint32_t rest = i / a.depth;
    const uint32_t c = i - rest * a.depth.divisor;
    uint32_t next = rest / w2.filter;
    const uint32_t at2 = rest - next * w2.filter.divisor;
    rest = next / w1.filter;
    const uint32_t at1 = next - rest * w1.filter.divisor;
    next = rest / w0.filter;
    const uint32_t at0 = rest - next * w0.filter.divisor;
    rest = next / w2.output;
    const uint32_t o2 = next - rest * w2.output.divisor;
    next = rest / w1.output;
    const uint32_t o1 = rest - next * w1.output.divisor;
    const int64_t row = a.first_row + next;
    const int64_t volume = row / w0.output.divisor;
    const uint32_t o0 = static_cast<uint32_t>(row - volume * w0.output.divisor);
    const int64_t p0 = w0.Place(o0, at0), p1 = w1.Place(o1, at1),
                  p2 = w2.Place(o2, at2);
    const bool inside = p0 >= 0 && p0 < w0.input && p1 >= 0 && p1 < w1.input &&
                        p2 >= 0 && p2 < w2.input;
    z[i] =
        inside
            ? x[(((volume * w0.input + p0) * w1.input + p1) * w2.input + p2) *
                    a.depth.divisor +
                c]
            : T(0);
  }
}
