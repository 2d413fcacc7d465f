// Rows of DynamicStitch and DynamicPartition, of elements of type E.
// Defines: E = uint8_t uint16_t uint32_t uint64_t complex128

// Row r becomes the slice at address sources[r], or zeros if that is 0.
extern "C" __global__ void Stitch(const uint64_t* sources, E* to, int64_t total,
                                  int64_t slice) {
  for (GRID_STRIDE(at, total)) {
    const int64_t row = at / slice;
    const E* const from = reinterpret_cast<const E*>(sources[row]);
    to[at] = from != nullptr ? from[at - row * slice] : E{};
  }
}

// Sets begins[p] to the first of `count` sorted keys of part p or a later one,
// for p <= parts. The parts are above `position_bits` of the keys; those that
// do not exist have all bits set, and come last.
extern "C" __global__ void BeginsOfParts(const uint64_t* keys, int64_t count,
                                         int position_bits, int64_t parts,
                                         int64_t* begins) {
  for (GRID_STRIDE(p, parts + 1)) {
    int64_t low = 0, high = count;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      const uint64_t key = keys[middle];
      if (key != ~uint64_t(0) &&
          static_cast<int64_t>(key >> position_bits) < p) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    begins[p] = low;
  }
}

// Copies the slices whose positions are in `keys`.
extern "C" __global__ void TakePart(const E* from, const uint64_t* keys,
                                    uint64_t position_mask, E* to,
                                    int64_t total, int64_t slice) {
  for (GRID_STRIDE(at, total)) {
    const int64_t row = at / slice;
    const int64_t position = static_cast<int64_t>(keys[row] & position_mask);
    to[at] = from[position * slice + (at - row * slice)];
  }
}
