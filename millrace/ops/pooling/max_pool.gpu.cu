// Max pooling and its gradients, a thread for each element of what is written.
//
// T is the type of the elements, OFFSET that of argmax offsets (max_pool.h),
// INDEX that of argmax. Elements are compared and added as Computed.
//
// Defines: T = float half bfloat16 double; OFFSET = uint8_t int32_t;
//      INDEX = int32_t int64_t
typedef Compute<T> Computed;

// The numbers of a PoolProblem.
struct PoolNumbers {
  int64_t images, channels;
  int64_t in[3], out[3], filter[3], stride[3], before[3];
};

template <class I>
struct Place {
  I image, at[3], channel;
};
// The place of element `i` of an array of images of `size` pixels.
template <class I>
__device__ Place<I> PlaceOf(I i, const PoolNumbers& p,
                            const int64_t (&size)[3]) {
  Place<I> place;
  place.channel = i % I(p.channels);
  i /= I(p.channels);
#pragma unroll
  for (int d = 2; d >= 0; --d) {
    place.at[d] = i % I(size[d]);
    i /= I(size[d]);
  }
  place.image = i;
  return place;
}

// The pixels that a window covers.
template <class I>
struct Covered {
  I begin[3], end[3];

  __device__ I Size(int d) const { return end[d] - begin[d]; }
};
template <class I>
__device__ Covered<I> CoveredBy(const PoolNumbers& p, const I (&window)[3]) {
  Covered<I> c;
#pragma unroll
  for (int d = 0; d < 3; ++d) {
    const I first = window[d] * I(p.stride[d]) - I(p.before[d]);
    c.begin[d] = first < 0 ? 0 : first;
    const I end = first + I(p.filter[d]);
    c.end[d] = end > I(p.in[d]) ? I(p.in[d]) : end;
  }
  return c;
}

// Calls f(element) for each element of the window of output element `o`, in
// order.
template <class I, class F>
__device__ void ForWindow(const PoolNumbers& p, const Place<I>& o, F f) {
  const Covered<I> c = CoveredBy(p, o.at);
  for (I d = c.begin[0]; d < c.end[0]; ++d) {
    for (I h = c.begin[1]; h < c.end[1]; ++h) {
      for (I w = c.begin[2]; w < c.end[2]; ++w) {
        const I pixel =
            ((o.image * I(p.in[0]) + d) * I(p.in[1]) + h) * I(p.in[2]) + w;
        f(pixel * I(p.channels) + o.channel);
      }
    }
  }
}

template <class I>
__device__ I Outputs(const PoolNumbers& p) {
  return I(p.images) * I(p.out[0]) * I(p.out[1]) * I(p.out[2]) * I(p.channels);
}
template <class I>
__device__ I Inputs(const PoolNumbers& p) {
  return I(p.images) * I(p.in[0]) * I(p.in[1]) * I(p.in[2]) * I(p.channels);
}

// The largest element; NaN and -infinity never are.
template <class I>
__device__ void MaxOf(const PoolNumbers& p, const T* x, T* z) {
  const I n = Outputs<I>(p);
  for (GRID_STRIDE(i, n)) {
    Computed best = Computed(Lowest<T>());
    ForWindow(p, PlaceOf(i, p, p.out), [&](I element) {
      const Computed v = Computed(x[element]);
      if (best < v) best = v;
    });
    z[i] = T(best);
  }
}

// Finds the first largest element of a window: the first element stays until a
// larger one comes, even if it is NaN. Returns its number in the input, -1 if
// the window covers nothing, and sets `offset` to its number in the window.
template <class I>
__device__ I LargestOf(const PoolNumbers& p, const T* x, I i, I* offset) {
  I largest = -1, number = 0;
  Computed best = Computed(0);
  *offset = 0;
  ForWindow(p, PlaceOf(i, p, p.out), [&](I element) {
    const Computed v = Computed(x[element]);
    if (largest < 0 || best < v) {
      best = v;
      largest = element;
      *offset = number;
    }
    ++number;
  });
  return largest;
}

// Also gives the largest elements, as MaxOf does, unless z is null.
template <class I>
__device__ void OffsetsOf(const PoolNumbers& p, const T* x, OFFSET* offsets,
                          T* z) {
  const I n = Outputs<I>(p);
  for (GRID_STRIDE(i, n)) {
    I offset;
    const I largest = LargestOf(p, x, i, &offset);
    offsets[i] = OFFSET(offset);
    if (z == nullptr) continue;
    // A NaN that comes first is the largest for an argmax, but never the
    // result.
    Computed best = Computed(Lowest<T>());
    if (largest >= 0 && !IsNan(x[largest])) {
      if (best < Computed(x[largest])) best = Computed(x[largest]);
    } else if (largest >= 0) {
      ForWindow(p, PlaceOf(i, p, p.out), [&](I element) {
        const Computed v = Computed(x[element]);
        if (best < v) best = v;
      });
    }
    z[i] = T(best);
  }
}

// Sets an element of the input's gradient to the sum over the windows whose
// largest element it is.
template <class I>
__device__ void SumByOffsetsOf(const PoolNumbers& p, const T* dy,
                               const OFFSET* offsets, T* dx) {
  const I n = Inputs<I>(p);
  for (GRID_STRIDE(i, n)) {
    const Place<I> in = PlaceOf(i, p, p.in);
    I begin[3], end[3];
#pragma unroll
    for (int d = 0; d < 3; ++d) {
      const I last = in.at[d] + I(p.before[d]);
      const I before = last - I(p.filter[d]) + 1;
      begin[d] = before <= 0 ? 0 : (before - 1) / I(p.stride[d]) + 1;
      const I behind = last / I(p.stride[d]) + 1;
      end[d] = behind > I(p.out[d]) ? I(p.out[d]) : behind;
    }
    Computed sum = Computed(0);
    I window[3];
    for (window[0] = begin[0]; window[0] < end[0]; ++window[0]) {
      for (window[1] = begin[1]; window[1] < end[1]; ++window[1]) {
        for (window[2] = begin[2]; window[2] < end[2]; ++window[2]) {
          const Covered<I> c = CoveredBy(p, window);
          const I own =
              ((in.at[0] - c.begin[0]) * c.Size(1) + in.at[1] - c.begin[1]) *
                  c.Size(2) +
              in.at[2] - c.begin[2];
          const I pixel =
              ((in.image * I(p.out[0]) + window[0]) * I(p.out[1]) + window[1]) *
                  I(p.out[2]) +
              window[2];
          const I o = pixel * I(p.channels) + in.channel;
          if (offsets[o] == OFFSET(own)) sum = sum + Computed(dy[o]);
        }
      }
    }
    dx[i] = T(sum);
  }
}

// Gives `from` at the largest elements of x; 0 where a window covers nothing.
// With argmax also their numbers, within an image of `image` elements, or
// within the batch if that is 0.
template <class I>
__device__ void AtLargestOf(const PoolNumbers& p, const T* x, const T* from,
                            T* z, INDEX* argmax, int64_t image) {
  const I n = Outputs<I>(p);
  for (GRID_STRIDE(i, n)) {
    I offset;
    const I largest = LargestOf(p, x, i, &offset);
    z[i] = largest < 0 ? T(0) : from[largest];
    if (argmax != nullptr) {
      argmax[i] = INDEX(image > 0 && largest >= 0 ? int64_t(largest) % image
                                                  : int64_t(largest));
    }
  }
}

#define ENTRY(Name, parameters, arguments)                                \
  extern "C" __global__ void Name parameters { Name##Of<int> arguments; } \
  extern "C" __global__ void Name##OfLarge parameters {                   \
    Name##Of<int64_t> arguments;                                          \
  }

ENTRY(Max, (PoolNumbers p, const T* x, T* z), (p, x, z))
ENTRY(Offsets, (PoolNumbers p, const T* x, OFFSET* offsets, T* z),
      (p, x, offsets, z))
ENTRY(SumByOffsets, (PoolNumbers p, const T* dy, const OFFSET* offsets, T* dx),
      (p, dy, offsets, dx))
ENTRY(AtLargest,
      (PoolNumbers p, const T* x, const T* from, T* z, INDEX* argmax,
       int64_t image),
      (p, x, from, z, argmax, image))
