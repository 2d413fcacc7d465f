// The places of values of type T in sorted rows, as numbers of type I. Where a
// value is no number, the place depends on the steps of the search, which are
// those of the CPU.
//
// Defines: T = float double half bfloat16 int8_t int16_t int32_t int64_t
//      uint8_t uint16_t uint32_t uint64_t; I = int32_t int64_t

// `goes_on(x)` says whether the place is behind x.
template <class F>
MR_DEVICE I SearchRow(const T* row, int64_t length, F goes_on) {
  int64_t first = 0;
  while (length > 0) {
    const int64_t before = length / 2;
    if (goes_on(static_cast<Compute<T>>(row[first + before]))) {
      first += before + 1;
      length -= before + 1;
    } else {
      length = before;
    }
  }
  return static_cast<I>(first);
}

// Values are rows of `per_row`; the sorted rows have `length` elements.
extern "C" __global__ void LowerBound(const T* sorted, const T* values,
                                      I* places, int64_t n, int64_t per_row,
                                      int64_t length) {
  for (GRID_STRIDE(i, n)) {
    const Compute<T> value = values[i];
    places[i] = SearchRow(sorted + i / per_row * length, length,
                          [&](Compute<T> x) { return x < value; });
  }
}
extern "C" __global__ void UpperBound(const T* sorted, const T* values,
                                      I* places, int64_t n, int64_t per_row,
                                      int64_t length) {
  for (GRID_STRIDE(i, n)) {
    const Compute<T> value = values[i];
    places[i] = SearchRow(sorted + i / per_row * length, length,
                          [&](Compute<T> x) { return !(value < x); });
  }
}
