// Slices of sparse tensors: which entries lie inside, and where those go. T is
// a type of an element's size.
//
// Defines: T = uint8_t uint16_t uint32_t uint64_t complex128

// `bounds` are the begins of the slice in each dimension, and then the ends.
extern "C" __global__ void __launch_bounds__(256)
    FindInside(const int64_t* coordinates, const int64_t* bounds, bool* inside,
               int64_t count, int64_t rank) {
  for (GRID_STRIDE(i, count)) {
    const int64_t* const at = coordinates + i * rank;
    bool hit = true;
    for (int64_t d = 0; d < rank && hit; ++d) {
      hit = at[d] >= bounds[d] && at[d] < bounds[rank + d];
    }
    inside[i] = hit;
  }
}

// Takes `count` entries, whose numbers `places` has, relative to the begins.
extern "C" __global__ void __launch_bounds__(256)
    TakeInside(const int64_t* coordinates, const T* values,
               const int64_t* bounds, const int64_t* places,
               int64_t* out_coordinates, T* out_values, int64_t count,
               int64_t rank) {
  for (GRID_STRIDE(i, count)) {
    const int64_t from = places[i];
    out_values[i] = values[from];
    for (int64_t d = 0; d < rank; ++d) {
      out_coordinates[i * rank + d] = coordinates[from * rank + d] - bounds[d];
    }
  }
}
