// Sorts the positions of indices by what they name (row_order.gpu.h).
// INDEX is the type of the indices.
// Defines: INDEX = int32_t int64_t

// The dimensions in which one row of indices names a place. The host's
// declaration is in row_order.gpu.cc.
constexpr int kMostCoordinates = 8;
struct Coordinates {
  int64_t depth;
  int64_t dims[kMostCoordinates];
};

// The keys that one block sorts in its shared memory.
constexpr int kMostKeys = 2048;

// Returns what the indices at a position name, above the position; all bits are
// set where a coordinate is out of range.
MR_DEVICE uint64_t KeyOf(const INDEX* indices, const Coordinates& c,
                         int64_t position, int position_bits) {
  const INDEX* const at = indices + position * c.depth;
  int64_t number = 0;
  // Constant places in an argument are read where they lie.
#pragma unroll
  for (int d = 0; d < kMostCoordinates; ++d) {
    if (d >= c.depth) break;
    const int64_t i = at[d];
    if (i < 0 || i >= c.dims[d]) return ~uint64_t{0};
    number = number * c.dims[d] + i;
  }
  return static_cast<uint64_t>(number) << position_bits |
         static_cast<uint64_t>(position);
}

struct IsLess {
  MR_DEVICE bool operator()(uint64_t a, uint64_t b) const { return a < b; }
};

// Makes the keys of `count` positions and sorts each run of `run` of them, a
// power of two up to kMostKeys. A block sorts one run.
extern "C" __global__ void SortRuns(const INDEX* indices, Coordinates c,
                                    int64_t count, int position_bits, int run,
                                    uint64_t* sorted) {
  __shared__ uint64_t keys[kMostKeys];
  const int64_t base = int64_t{blockIdx.x} * run;
  for (int i = threadIdx.x; i < run; i += blockDim.x) {
    keys[i] = base + i < count ? KeyOf(indices, c, base + i, position_bits)
                               : ~uint64_t{0};
  }
  SortInBlock(keys, run, IsLess());
  for (int i = threadIdx.x; i < run && base + i < count; i += blockDim.x) {
    sorted[base + i] = keys[i];
  }
}

// Merges pairs of sorted runs of `run` keys.
extern "C" __global__ void MergeRuns(const uint64_t* from, int64_t count,
                                     int64_t run, uint64_t* to) {
  for (GRID_STRIDE(i, count)) {
    to[PlaceInMerge(from, i, count, run, IsLess())] = from[i];
  }
}

// Sets begins[r] to the number of keys of rows before r, for r <= rows. Keys of
// rows that do not exist have all bits set.
extern "C" __global__ void BeginsOfRows(const uint64_t* keys, int position_bits,
                                        int64_t count, int64_t rows,
                                        int64_t* begins) {
  for (GRID_STRIDE(r, rows + 1)) {
    int64_t low = 0, high = count;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      const uint64_t key = keys[middle];
      if (key != ~uint64_t(0) &&
          key >> position_bits < static_cast<uint64_t>(r)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    begins[r] = low;
  }
}
