// Resizes images, or sums the gradients of resized ones: each pixel of the
// result is a sum over pixels of the source, by tables of rows and of columns.
// IN and OUT are the types of elements, ACC that of sums. WEIGHTED is 0 if all
// weights are 1.
//
// Defines: IN = float half uint8_t; OUT = float; ACC = float; WEIGHTED = 1
// Defines: IN = float; OUT = float half bfloat16 double; ACC = float;
//      WEIGHTED = 1
// Defines: IN = double; OUT = double; ACC = double; WEIGHTED = 0
// Defines: IN = int8_t; OUT = int8_t; ACC = int64_t; WEIGHTED = 0

struct Tap {
  int32_t place;
  float weight;
};
struct ResizeArgs {
  uint64_t in, out;
  uint64_t first_y,
      first_x;              // int32: pixel i has taps [first[i], first[i + 1])
  uint64_t taps_y, taps_x;  // Tap
  uint32_t total;           // elements of the result
  int32_t in_height, in_width;
  IntDivisor height, width, channels;
};

extern "C" __global__ void Resize(const ResizeArgs a) {
  const IN* const in = reinterpret_cast<const IN*>(a.in);
  OUT* const out = reinterpret_cast<OUT*>(a.out);
  const int32_t* const first_y = reinterpret_cast<const int32_t*>(a.first_y);
  const int32_t* const first_x = reinterpret_cast<const int32_t*>(a.first_x);
  const Tap* const taps_y = reinterpret_cast<const Tap*>(a.taps_y);
  const Tap* const taps_x = reinterpret_cast<const Tap*>(a.taps_x);
  for (GRID_STRIDE(at, a.total)) {
    const uint32_t pixel = at / a.channels;
    const uint32_t c = at - pixel * a.channels.divisor;
    const uint32_t row = pixel / a.width;
    const uint32_t x = pixel - row * a.width.divisor;
    const uint32_t image = row / a.height;
    const uint32_t y = row - image * a.height.divisor;
    ACC sum = ACC(0);
    for (int i = first_y[y]; i < first_y[y + 1]; ++i) {
      const Tap ty = taps_y[i];
      const int64_t line =
          (int64_t{image} * a.in_height + ty.place) * a.in_width;
      for (int j = first_x[x]; j < first_x[x + 1]; ++j) {
        const Tap tx = taps_x[j];
        const IN v = in[(line + tx.place) * a.channels.divisor + c];
        if (WEIGHTED) {
          const float weight = ty.weight * tx.weight;
          // A weight of 0 keeps what is infinite or no number out.
          if (weight != 0) {
            sum += static_cast<ACC>(static_cast<float>(v) * weight);
          }
        } else {
          sum += static_cast<ACC>(v);
        }
      }
    }
    out[at] = static_cast<OUT>(sum);
  }
}
