// Conjugates complex elements in place; R is the type of their parts.
// Defines: R = float double
extern "C" __global__ void Conjugate(R* x, uint64_t n) {
  for (GRID_STRIDE(i, n)) {
    x[2 * i + 1] = -x[2 * i + 1];
  }
}
