// Lists of dtypes for kernel tables. They are string literals, joined at
// compile time.
#pragma once

#define MR_REAL_TYPES                                          \
  "float, double, half, bfloat16, int8, int16, int32, int64, " \
  "uint8, uint16, uint32, uint64"
#define MR_NUMBER_TYPES MR_REAL_TYPES ", complex64, complex128"
// The types that most data movement ops take.
#define MR_PLAIN_TYPES MR_NUMBER_TYPES ", bool"
#define MR_PLAIN_AND_STRING_TYPES MR_PLAIN_TYPES ", string"
#define MR_ELEMENT_TYPES MR_PLAIN_AND_STRING_TYPES ", resource, variant"
// The quantized types without the 16-bit ones, which many ops leave out.
#define MR_QUANTIZED_8_32_TYPES "qint8, quint8, qint32"
#define MR_QUANTIZED_TYPES MR_QUANTIZED_8_32_TYPES ", qint16, quint16"
// The types of tensors that lie in the memory of a GPU for most ops that move
// data there; those of int32 lie in host memory, as in TensorFlow.
#define MR_GPU_TYPES                                    \
  "float, double, half, bfloat16, int8, int16, int64, " \
  "uint8, uint16, uint32, uint64, complex64, complex128, bool"
