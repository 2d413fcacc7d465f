// The epilogue of fused products (epilogue.h), in place. T is the type of the
// elements, Computed the one in which they are computed. BIAS, NORMALIZE and
// ADD are 0 or 1; ACTIVATION is one of the functions below.
//
// Defines: T = float half bfloat16 double; BIAS = 1; NORMALIZE = 0; ADD = 0 1;
//      ACTIVATION = None Relu Relu6 Elu LeakyRelu Tanh Sigmoid GeluExact
//      GeluApproximate
// Defines: T = float half; BIAS = 0; NORMALIZE = 1; ADD = 0 1;
//      ACTIVATION = None Relu Relu6 Elu LeakyRelu
typedef Compute<T> Computed;

__device__ Computed None(Computed x, Computed) { return x; }
__device__ Computed Relu(Computed x, Computed) {
  return x <= Computed(0) ? Computed(0) : x;  // NaN stays NaN
}
__device__ Computed Relu6(Computed x, Computed) {
  const Computed low = x <= Computed(0) ? Computed(0) : x;
  return low >= Computed(6) ? Computed(6) : low;
}
__device__ Computed Elu(Computed x, Computed) {
  return x < Computed(0) ? Computed(expm1(x)) : x;
}
__device__ Computed LeakyRelu(Computed x, Computed alpha) {
  const Computed y = x * alpha;
  return (alpha < Computed(1) ? x < y : y < x) ? y : x;
}
__device__ Computed Tanh(Computed x, Computed) { return Computed(tanh(x)); }
__device__ Computed Sigmoid(Computed x, Computed) {
  return Computed(1) / (Computed(1) + Computed(exp(-x)));
}
__device__ Computed GeluExact(Computed x, Computed) {
  return Computed(0.5) * x *
         (Computed(1) + Computed(erf(x * Computed(0.70710678118654752440))));
}
__device__ Computed GeluApproximate(Computed x, Computed) {
  const Computed inner =
      Computed(0.79788456080286535588) * (x + Computed(0.044715) * x * x * x);
  return Computed(0.5) * x * (Computed(1) + Computed(tanh(inner)));
}

// Elements of `inner` neighbours share a channel: 1 where channels are last.
// `offset` is the bias, or that of a normalization.
extern "C" __global__ void Epilogue(T* z, int64_t n, int64_t inner,
                                    int64_t channels, const T* offset,
                                    const T* scale, const T* mean,
                                    const T* variance, const T* added,
                                    float epsilon, float alpha) {
  for (GRID_STRIDE(i, n)) {
    const int64_t channel = i / inner % channels;
    Computed x = Computed(z[i]);
#if BIAS
    x = x + Computed(offset[channel]);
#endif
#if NORMALIZE
    const Computed factor =
        Computed(scale[channel]) /
        Computed(sqrt(Computed(variance[channel]) + Computed(epsilon)));
    x = (x - Computed(mean[channel])) * factor + Computed(offset[channel]);
#endif
#if ADD
    x = x + Computed(added[i]);
#endif
    z[i] = T(ACTIVATION(x, Computed(T(alpha))));
  }
}
