// Gradients of max pooling whose largest elements are known.
//
// Defines: T = float half bfloat16 double

// Adds each element of the gradient to the element that argmax says: within its
// image of `image` elements, whose windows have `windows` elements, or within
// the batch if with_batch. What is outside of its image is left out.
extern "C" __global__ void ScatterByArgmax(const T* dy, const int64_t* argmax,
                                           T* dx, int64_t n, int64_t windows,
                                           int64_t image, int with_batch) {
  for (GRID_STRIDE(i, n)) {
    const int64_t first = i / windows * image;
    const int64_t at = with_batch ? argmax[i] : argmax[i] + first;
    if (at >= first && at < first + image) AtomicAdd(dx + at, dy[i]);
  }
}

// Gives the elements of grad that argmax says; 0 for what is outside of its
// image.
extern "C" __global__ void GatherByArgmax(const T* grad, const int64_t* argmax,
                                          T* z, int64_t n, int64_t windows,
                                          int64_t image, int with_batch) {
  for (GRID_STRIDE(i, n)) {
    const int64_t first = i / windows * image;
    const int64_t at = with_batch ? argmax[i] : argmax[i] + first;
    z[i] = at >= first && at < first + image ? grad[at] : T(0);
  }
}
