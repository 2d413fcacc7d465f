// Matrices with three diagonals times others, of type T: the matrices have n
// rows, the others `columns` columns.
//
// Defines: T = float double complex64 complex128

extern "C" __global__ void TridiagonalMatMul(const T* upper, const T* diagonal,
                                             const T* lower, const T* x, T* z,
                                             int64_t elements, int64_t n,
                                             int64_t columns) {
  for (GRID_STRIDE(at, elements)) {
    const int64_t row = at / columns, i = row % n;  // of all, of its matrix
    T sum = diagonal[row] * x[at];
    if (i > 0) sum = sum + lower[row] * x[at - columns];
    if (i + 1 < n) sum = sum + upper[row] * x[at + columns];
    z[at] = sum;
  }
}
