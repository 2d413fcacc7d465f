// Gradients of max pooling whose largest elements are known.
//
// Defines: T = float half bfloat16 double

// Gives the place of the element that argmax says: argmax is within its image
// of `image` elements, whose windows have `windows` elements, or within the
// batch if with_batch. -1 for what is outside of its image.
extern "C" __global__ void PlacesByArgmax(const int64_t* argmax,
                                          int64_t* places, int64_t n,
                                          int64_t windows, int64_t image,
                                          int with_batch) {
  for (GRID_STRIDE(i, n)) {
    const int64_t first = i / windows * image;
    const int64_t at = with_batch ? argmax[i] : argmax[i] + first;
    places[i] = at >= first && at < first + image ? at : -1;
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
