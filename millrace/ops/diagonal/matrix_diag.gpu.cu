// Diagonals of batches of matrices. E is a type of the elements' size.
// Defines: E = uint8_t uint16_t uint32_t uint64_t complex128
struct DiagArgs {
  uint64_t x, base, out;
  int64_t total, rows, cols, low, high, longest;
  int above_left, below_left;
  alignas(16) unsigned char value[16];

  MR_DEVICE int64_t Length(int64_t k) const {
    return MinOf(rows + MinOf(k, int64_t(0)), cols - MaxOf(k, int64_t(0)));
  }
  // Where diagonal k begins in its row.
  MR_DEVICE int64_t Offset(int64_t k) const {
    const bool left = (k >= 0 && above_left) || (k <= 0 && below_left);
    return left ? 0 : longest - Length(k);
  }
};

// A thread for each element of the diagonals, the highest of which comes first.
extern "C" __global__ void TakeDiagonals(const DiagArgs a) {
  const E* const x = reinterpret_cast<const E*>(a.x);
  E* const out = reinterpret_cast<E*>(a.out);
  const E value = *reinterpret_cast<const E*>(a.value);
  const int64_t count = a.high - a.low + 1;
  for (GRID_STRIDE(at, a.total)) {
    const int64_t line = at / a.longest;
    const int64_t matrix = line / count;
    const int64_t k = a.high - (line - matrix * count);
    const int64_t i = at - line * a.longest - a.Offset(k);
    const bool inside = i >= 0 && i < a.Length(k);
    const int64_t row = i + (k < 0 ? -k : 0), col = i + (k > 0 ? k : 0);
    out[at] = inside ? x[(matrix * a.rows + row) * a.cols + col] : value;
  }
}

// A thread for each element of the matrices.
extern "C" __global__ void PutDiagonals(const DiagArgs a) {
  const E* const x = reinterpret_cast<const E*>(a.x);
  const E* const base = reinterpret_cast<const E*>(a.base);
  E* const out = reinterpret_cast<E*>(a.out);
  const E value = *reinterpret_cast<const E*>(a.value);
  const int64_t count = a.high - a.low + 1;
  for (GRID_STRIDE(at, a.total)) {
    const int64_t line = at / a.cols;
    const int64_t matrix = line / a.rows;
    const int64_t row = line - matrix * a.rows, col = at - line * a.cols;
    const int64_t k = col - row;
    if (x != nullptr && k >= a.low && k <= a.high) {
      const int64_t i = k >= 0 ? row : col;
      out[at] = x[(matrix * count + a.high - k) * a.longest + a.Offset(k) + i];
    } else {
      out[at] = base != nullptr ? base[at] : value;
    }
  }
}
