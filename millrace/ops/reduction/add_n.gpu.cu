// The sum of any number of elements, of which the first may be the sum of
// others. Those of half and bfloat16 are float: the result is rounded once,
// where it is stored.
//
// Texts: elementwise/program.gpu.cu
// Defines: X0 = X; X = half bfloat16 float double int8_t int16_t int64_t
//      uint8_t uint16_t uint32_t uint64_t complex64 complex128; Z = X;
//      ADD_N_RESULT = "SumOfAll(x0[i], x1[i], x2[i])"

template <class T, class... More>
MR_DEVICE Compute<T> SumOfAll(T first, More... more) {
  Compute<T> sum = first;
  ((sum = Plus(sum, static_cast<Compute<T>>(more))), ...);
  return sum;
}

#ifdef ADD_N_RESULT
SAMPLE_PROGRAM(X0, X, Z, ADD_N_RESULT)
#endif
