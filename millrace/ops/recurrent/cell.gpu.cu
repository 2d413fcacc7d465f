// What device texts of recurrent cells have in common. T is the type of the
// elements.
// Checked: with recurrence.gpu.cu

// Places in the batch, [batch, cell].
MR_DEVICE int64_t RowOfPlace(int64_t place, int64_t columns) {
  if ((place >> 31) != 0 || (columns >> 31) != 0) return place / columns;
  return static_cast<uint32_t>(place) / static_cast<uint32_t>(columns);
}

MR_DEVICE float Sigmoid(float x) { return 1.0f / (1.0f + exp(-x)); }

// Makes the rows [x, h]; those of h lie in `h`, and behind the first rows in
// `more`.
struct JoinArgs {
  int64_t rows, input, cell, first_rows;
  const T *x, *h, *more;
  T* to;
};
extern "C" __global__ void JoinRows(const JoinArgs a) {
  const int64_t columns = a.input + a.cell;
  for (GRID_STRIDE(at, a.rows * columns)) {
    const int64_t row = RowOfPlace(at, columns), c = at - row * columns;
    const T* from = a.x + row * a.input + c;
    if (c >= a.input) {
      from = row < a.first_rows ? a.h + row * a.cell
                                : a.more + (row - a.first_rows) * a.cell;
      from += c - a.input;
    }
    a.to[at] = *from;
  }
}
