// Sums of writes to one element of an array of gradients.

#define ADD_TO(Name, T)                                             \
  extern "C" __global__ void Name(T* sum, const T* x, int64_t n) {  \
    for (GRID_STRIDE(i, n)) sum[i] = static_cast<T>(sum[i] + x[i]); \
  }

ADD_TO(AddFloat, float)
ADD_TO(AddDouble, double)
ADD_TO(AddHalf, half)
ADD_TO(AddBfloat16, bfloat16)
ADD_TO(AddInt8, int8_t)
ADD_TO(AddInt16, int16_t)
ADD_TO(AddInt64, int64_t)
ADD_TO(AddUint8, uint8_t)
ADD_TO(AddUint16, uint16_t)
ADD_TO(AddUint32, uint32_t)
ADD_TO(AddUint64, uint64_t)
ADD_TO(AddComplex64, complex64)
ADD_TO(AddComplex128, complex128)
