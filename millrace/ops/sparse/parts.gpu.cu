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

struct SparseDims {
  int64_t v[8];
};

// Copies the entries of one part, `offset` farther along the axis, and numbers
// their places in the whole, row by row. Coordinates are not checked; those
// outside are numbered as the nearest inside.
extern "C" __global__ void __launch_bounds__(256)
    AppendPart(const int64_t* coordinates, const T* values,
               int64_t* out_coordinates, T* out_values, int64_t* numbers,
               int64_t count, int rank, int axis, int64_t offset,
               SparseDims dims) {
  for (GRID_STRIDE(i, count)) {
    out_values[i] = values[i];
    int64_t number = 0;
#pragma unroll
    for (int d = 0; d < 8; ++d) {
      if (d >= rank) break;
      uint64_t at = static_cast<uint64_t>(coordinates[i * rank + d]);
      if (d == axis) at += static_cast<uint64_t>(offset);
      const int64_t c = static_cast<int64_t>(at);
      out_coordinates[i * rank + d] = c;
      const int64_t last = dims.v[d] - 1;
      number = number * dims.v[d] + (c < 0 ? 0 : c > last ? last : c);
    }
    numbers[i] = number;
  }
}

// `keys` have the numbers of entries in their lowest bits.
extern "C" __global__ void __launch_bounds__(256)
    TakeSorted(const uint64_t* keys, const int64_t* coordinates,
               const T* values, int64_t* out_coordinates, T* out_values,
               int64_t count, int rank, int shift) {
  for (GRID_STRIDE(i, count)) {
    const uint64_t key = keys[i];
    const int64_t from = static_cast<int64_t>(key - (key >> shift << shift));
    out_values[i] = values[from];
    for (int d = 0; d < rank; ++d) {
      out_coordinates[i * rank + d] = coordinates[from * rank + d];
    }
  }
}
