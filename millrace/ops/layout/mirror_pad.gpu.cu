// The gradient of mirrored paddings: each element of the result is the sum of
// the elements that mirror it, and of its own.
//
// Defines: T = float double half bfloat16 int64_t complex64 complex128
typedef ChooseType<kIsInteger<T>, uint64_t, Compute<T>>::type Acc;

struct MirrorArgs {
  uint64_t from, to;
  int64_t total;  // elements of the result
  int rank;
  int64_t edge;  // 0 if the edge itself is repeated, 1 if it is not
  int64_t sizes[8], before[8], after[8], strides[8];  // strides of the source
};

extern "C" __global__ void FoldMirrored(const MirrorArgs a) {
  const T* const from = reinterpret_cast<const T*>(a.from);
  T* const to = reinterpret_cast<T*>(a.to);
  for (GRID_STRIDE(at, a.total)) {
    // Up to three places in each dimension: the own one, and one in each
    // padding.
    int64_t places[8][3];
    int counts[8];
    int combinations = 1;
    int64_t rest = at;
    for (int d = a.rank - 1; d >= 0; --d) {
      const int64_t i = rest % a.sizes[d];
      rest /= a.sizes[d];
      int count = 0;
      const int64_t above = i - a.edge;  // its distance from the mirror
      if (above >= 0 && above < a.before[d]) {
        places[d][count++] = (a.before[d] - 1 - above) * a.strides[d];
      }
      places[d][count++] = (a.before[d] + i) * a.strides[d];
      const int64_t below = a.sizes[d] - 1 - a.edge - i;
      if (below >= 0 && below < a.after[d]) {
        places[d][count++] = (a.before[d] + a.sizes[d] + below) * a.strides[d];
      }
      counts[d] = count;
      combinations *= count;
    }
    Acc sum = Acc(0);
    for (int c = 0; c < combinations; ++c) {
      int which = c;
      int64_t place = 0;
      for (int d = a.rank - 1; d >= 0; --d) {
        place += places[d][which % counts[d]];
        which /= counts[d];
      }
      sum = sum + static_cast<Acc>(from[place]);
    }
    to[at] = static_cast<T>(sum);
  }
}
