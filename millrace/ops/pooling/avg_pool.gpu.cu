// Average pooling and its gradient, a thread for each element of what is
// written. T is the type of the elements, Sum that of the sums.
//
// Defines: T = float half bfloat16 double
typedef Compute<T> Sum;

// The numbers of a PoolProblem.
struct PoolNumbers {
  int64_t images, channels;
  int64_t in[3], out[3], filter[3], stride[3], before[3];
};

// The part of the input that window `o` covers along dimension d.
template <class I>
__device__ void Cover(const PoolNumbers& p, int d, I o, I* begin, I* end) {
  const I first = o * I(p.stride[d]) - I(p.before[d]);
  const I last = first + I(p.filter[d]);
  *begin = first < 0 ? 0 : first;
  *end = last > I(p.in[d]) ? I(p.in[d]) : last;
}

template <class I>
__device__ void MeanOf(const PoolNumbers& p, const T* x, T* z) {
  const I channels = I(p.channels);
  const I n = I(p.images) * I(p.out[0]) * I(p.out[1]) * I(p.out[2]) * channels;
  for (GRID_STRIDE(i, n)) {
    const I channel = i % channels;
    I rest = i / channels;
    I begin[3], end[3];
#pragma unroll
    for (int d = 2; d >= 0; --d) {
      Cover(p, d, rest % I(p.out[d]), &begin[d], &end[d]);
      rest /= I(p.out[d]);
    }
    Sum sum = Sum(0);
    for (I d = begin[0]; d < end[0]; ++d) {
      for (I h = begin[1]; h < end[1]; ++h) {
        const I row = ((rest * I(p.in[0]) + d) * I(p.in[1]) + h) * I(p.in[2]);
        for (I w = begin[2]; w < end[2]; ++w) {
          sum += Sum(x[(row + w) * channels + channel]);
        }
      }
    }
    const I pixels =
        (end[0] - begin[0]) * (end[1] - begin[1]) * (end[2] - begin[2]);
    z[i] = T(sum * (Sum(1) / Sum(pixels)));
  }
}

// Sums over the windows that cover an element, each divided by the number of
// pixels that it covers.
template <class I>
__device__ void MeanGradOf(const PoolNumbers& p, const T* dy, T* dx) {
  const I channels = I(p.channels);
  const I n = I(p.images) * I(p.in[0]) * I(p.in[1]) * I(p.in[2]) * channels;
  for (GRID_STRIDE(i, n)) {
    const I channel = i % channels;
    I rest = i / channels;
    I first[3], last[3];
#pragma unroll
    for (int d = 2; d >= 0; --d) {
      const I at = rest % I(p.in[d]) + I(p.before[d]);
      const I before = at - I(p.filter[d]) + 1;
      first[d] = before <= 0 ? 0 : (before - 1) / I(p.stride[d]) + 1;
      const I behind = at / I(p.stride[d]) + 1;
      last[d] = behind > I(p.out[d]) ? I(p.out[d]) : behind;
      rest /= I(p.in[d]);
    }
    Sum sum = Sum(0);
    for (I d = first[0]; d < last[0]; ++d) {
      I begin, end;
      Cover(p, 0, d, &begin, &end);
      const I depth = end - begin;
      for (I h = first[1]; h < last[1]; ++h) {
        Cover(p, 1, h, &begin, &end);
        const I plane = depth * (end - begin);
        const I row =
            ((rest * I(p.out[0]) + d) * I(p.out[1]) + h) * I(p.out[2]);
        for (I w = first[2]; w < last[2]; ++w) {
          Cover(p, 2, w, &begin, &end);
          sum += Sum(dy[(row + w) * channels + channel]) *
                 (Sum(1) / Sum(plane * (end - begin)));
        }
      }
    }
    dx[i] = T(sum);
  }
}

extern "C" __global__ void Mean(PoolNumbers p, const T* x, T* z) {
  MeanOf<int>(p, x, z);
}
extern "C" __global__ void MeanOfLarge(PoolNumbers p, const T* x, T* z) {
  MeanOf<int64_t>(p, x, z);
}
extern "C" __global__ void MeanGrad(PoolNumbers p, const T* dy, T* dx) {
  MeanGradOf<int>(p, dy, dx);
}
extern "C" __global__ void MeanGradOfLarge(PoolNumbers p, const T* dy, T* dx) {
  MeanGradOf<int64_t>(p, dy, dx);
}
