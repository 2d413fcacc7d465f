// The distinct rows that sorted keys name: keys have a row above
// `position_bits`, and all bits set if it does not exist. INDEX is the type of
// rows.
//
// Defines: INDEX = int32_t int64_t

// Marks the first key of each row.
extern "C" __global__ void MarkRows(const uint64_t* keys, int64_t n,
                                    int position_bits, bool* first) {
  for (GRID_STRIDE(i, n)) {
    const uint64_t key = keys[i];
    first[i] = key != ~uint64_t(0) &&
               (i == 0 || keys[i - 1] >> position_bits != key >> position_bits);
  }
}

// Writes the rows that begin at `begins`, and where the last one ends.
extern "C" __global__ void TakeRows(const uint64_t* keys, int64_t n,
                                    int position_bits, int64_t* begins,
                                    int64_t rows, INDEX* out) {
  for (GRID_STRIDE(r, rows + 1)) {
    if (r < rows) {
      out[r] = static_cast<INDEX>(keys[begins[r]] >> position_bits);
      continue;
    }
    int64_t low = 0, high = n;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (keys[middle] != ~uint64_t(0)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    begins[rows] = low;
  }
}
