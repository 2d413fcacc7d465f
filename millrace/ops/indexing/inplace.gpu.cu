// Numbers of rows modulo those that there are.
extern "C" __global__ void RowsModulo(const int32_t* numbers, int64_t count,
                                      int64_t limit, int64_t* rows) {
  for (GRID_STRIDE(k, count)) {
    const int64_t row = static_cast<int64_t>(numbers[k]) % limit;
    rows[k] = row < 0 ? row + limit : row;
  }
}
