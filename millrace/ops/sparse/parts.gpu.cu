// Slices of sparse tensors: which entries lie inside, and where those go. Parts
// of a concatenation. T is a type of an element's size.
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

// Copies the entries of one part, `offset` farther along the axis. Coordinates
// are not checked; the sum wraps around.
extern "C" __global__ void __launch_bounds__(256)
    AppendPart(const int64_t* coordinates, const T* values,
               int64_t* out_coordinates, T* out_values, int64_t count,
               int64_t rank, int64_t axis, int64_t offset) {
  for (GRID_STRIDE(i, count)) {
    out_values[i] = values[i];
    for (int64_t d = 0; d < rank; ++d) {
      uint64_t at = static_cast<uint64_t>(coordinates[i * rank + d]);
      if (d == axis) at += static_cast<uint64_t>(offset);
      out_coordinates[i * rank + d] = static_cast<int64_t>(at);
    }
  }
}
