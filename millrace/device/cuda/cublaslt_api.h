// The calls of NVIDIA's library of matrix products (libcublasLt.so.12, .13)
// that are in use, as driver_api.h has those of the driver.
#pragma once

#include <cstddef>
#include <cstdint>

#include "millrace/device/cuda/driver_api.h"

namespace millrace::cuda {

enum class BlasResult : int {
  kSuccess = 0,
  kNotInitialized = 1,
  kAllocationFailed = 3,
  kInvalidValue = 7,
  kArchitectureMismatch = 8,
  kMappingError = 11,
  kExecutionFailed = 13,
  kInternalError = 14,
  kNotSupported = 15,
};

// The types of elements and of factors, also those of other libraries.
enum class BlasType : int {
  kFloat = 0,
  kDouble = 1,
  kHalf = 2,
  kComplex64 = 4,
  kComplex128 = 5,
  kBfloat16 = 14,
};

// The arithmetic of a product.
enum class BlasCompute : int {
  kFloat = 68,
  kDouble = 70,
  kFloatByTf32 = 77,  // rounds factors to 10 bits of mantissa
};

enum class BlasOperation : int32_t {
  kNone = 0,
  kTranspose = 1,
  kConjugateTranspose = 2,
};

// Attributes of a product. Values are int32_t but for kBiasPointer, a device
// pointer.
enum class BlasProductAttribute : int {
  kTransposeA = 3,
  kTransposeB = 4,
  kEpilogue = 7,
  kBiasPointer = 8,
};

// An operation on the elements of a product. The bias has an element for each
// row.
enum class BlasEpilogue : int32_t {
  kNone = 1,
  kBias = 4,
  kBiasRelu = 6,
  kBiasGelu = 36,  // by tanh
};

// Attributes of a matrix: int32_t, and int64_t in elements.
enum class BlasLayoutAttribute : int {
  kBatchCount = 5,
  kBatchStride = 6,
};

// Limits for what an algorithm needs: uint64_t, and uint32_t of pointers.
enum class BlasPreferenceAttribute : int {
  kMaxWorkspaceBytes = 1,
  kAlignmentA = 5,
  kAlignmentB = 6,
  kAlignmentC = 7,
  kAlignmentD = 8,
};

struct BlasHandleObject;
struct BlasProductObject;
struct BlasLayoutObject;
struct BlasPreferenceObject;
using BlasHandle = BlasHandleObject*;
using BlasProduct = BlasProductObject*;
using BlasLayout = BlasLayoutObject*;
using BlasPreference = BlasPreferenceObject*;

struct BlasAlgorithm {
  uint64_t data[8];
};

struct BlasHeuristicResult {
  BlasAlgorithm algorithm;
  size_t workspace_bytes;
  BlasResult state;
  float waves;
  int reserved[4];
};

// X(Name, symbol, (parameters)): a call that returns BlasResult. Matrices are
// stored by columns. Thread-safe, also for one handle; works on the context
// that is current for the thread.
#define MILLRACE_CUDA_CUBLASLT_CALLS(X)                                      \
  X(Create, cublasLtCreate, (BlasHandle * handle))                           \
  X(Destroy, cublasLtDestroy, (BlasHandle handle))                           \
  X(ProductCreate, cublasLtMatmulDescCreate,                                 \
    (BlasProduct * product, BlasCompute compute, BlasType scale))            \
  X(ProductDestroy, cublasLtMatmulDescDestroy, (BlasProduct product))        \
  X(ProductSetAttribute, cublasLtMatmulDescSetAttribute,                     \
    (BlasProduct product, BlasProductAttribute attribute, const void* value, \
     size_t bytes))                                                          \
  /* `stride`: elements from a column to the next. */                        \
  X(LayoutCreate, cublasLtMatrixLayoutCreate,                                \
    (BlasLayout * layout, BlasType type, uint64_t rows, uint64_t columns,    \
     int64_t stride))                                                        \
  X(LayoutDestroy, cublasLtMatrixLayoutDestroy, (BlasLayout layout))         \
  X(LayoutSetAttribute, cublasLtMatrixLayoutSetAttribute,                    \
    (BlasLayout layout, BlasLayoutAttribute attribute, const void* value,    \
     size_t bytes))                                                          \
  X(PreferenceCreate, cublasLtMatmulPreferenceCreate,                        \
    (BlasPreference * preference))                                           \
  X(PreferenceDestroy, cublasLtMatmulPreferenceDestroy,                      \
    (BlasPreference preference))                                             \
  X(PreferenceSetAttribute, cublasLtMatmulPreferenceSetAttribute,            \
    (BlasPreference preference, BlasPreferenceAttribute attribute,           \
     const void* value, size_t bytes))                                       \
  /* Up to `requested` algorithms, best first. */                            \
  X(GetHeuristic, cublasLtMatmulAlgoGetHeuristic,                            \
    (BlasHandle handle, BlasProduct product, BlasLayout a, BlasLayout b,     \
     BlasLayout c, BlasLayout d, BlasPreference preference, int requested,   \
     BlasHeuristicResult* results, int* returned))                           \
  /* d = alpha op(a) op(b) + beta c, in the order of the stream; the factors \
     lie on the host. */                                                     \
  X(Multiply, cublasLtMatmul,                                                \
    (BlasHandle handle, BlasProduct product, const void* alpha,              \
     DevicePointer a, BlasLayout a_layout, DevicePointer b,                  \
     BlasLayout b_layout, const void* beta, DevicePointer c,                 \
     BlasLayout c_layout, DevicePointer d, BlasLayout d_layout,              \
     const BlasAlgorithm* algorithm, DevicePointer workspace,                \
     size_t workspace_bytes, Stream stream))

}  // namespace millrace::cuda
