// The places in a dense tensor of entries with coordinates of type I.
// Defines: I = int32_t int64_t

constexpr int kDimsInArgs = 8;
struct PlacesArgs {
  int64_t count, rank;
  int32_t validate;
  int64_t dims[kDimsInArgs];
  const int64_t* more_dims;  // those behind the first ones
  const I* indices;
  int64_t* places;
  uint64_t* bad;
};

// Returns the place of an entry; -1 if a coordinate is out of range.
MR_DEVICE int64_t PlaceOf(const PlacesArgs& a, int64_t entry) {
  const I* const at = a.indices + entry * a.rank;
  int64_t place = 0;
  // Constant places in an argument are read where they lie.
#pragma unroll
  for (int d = 0; d < kDimsInArgs; ++d) {
    if (d >= a.rank) break;
    const int64_t i = static_cast<int64_t>(at[d]);
    if (i < 0 || i >= a.dims[d]) return -1;
    place = place * a.dims[d] + i;
  }
  for (int64_t d = kDimsInArgs; d < a.rank; ++d) {
    const int64_t i = static_cast<int64_t>(at[d]);
    const int64_t size = a.more_dims[d - kDimsInArgs];
    if (i < 0 || i >= size) return -1;
    place = place * size + i;
  }
  return place;
}

// Sets the places. If they are validated, bad[0] becomes the least number of an
// entry that is wrong and, in its two low bits, what is wrong (BadEntry of
// to_dense.h); all of its bits are set before.
extern "C" __global__ void PlacesOfEntries(const PlacesArgs a) {
  for (GRID_STRIDE(i, a.count)) {
    const int64_t place = PlaceOf(a, i);
    a.places[i] = place;
    if (!a.validate) continue;
    const int64_t before = i == 0 ? -1 : PlaceOf(a, i - 1);
    if (place > before) continue;
    const uint64_t what = place < 0 ? 0 : place == before ? 1 : 2;
    AtomicMin(a.bad, static_cast<uint64_t>(i) << 2 | what);
  }
}

// Copies the coordinates of that entry, if there is one, behind it. One warp.
extern "C" __global__ void CopyBadEntry(const PlacesArgs a) {
  if (a.bad[0] == ~uint64_t(0)) return;
  const int64_t entry = static_cast<int64_t>(a.bad[0] >> 2);
  for (int64_t d = threadIdx.x; d < a.rank; d += blockDim.x) {
    a.bad[1 + d] = static_cast<uint64_t>(
        static_cast<int64_t>(a.indices[entry * a.rank + d]));
  }
}
