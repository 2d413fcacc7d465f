// The calls of NVIDIA's library of convolutions (libcudnn.so.9, .8) that are in
// use, as driver_api.h has those of the driver.
#pragma once

#include <cstddef>

#include "millrace/device/cuda/driver_api.h"

namespace millrace::cuda {

// Version 9 has more of each kind: 1002 to 1008 (such as a part of the library
// that is missing), 2000 to 2012, 3000 to 3014, 4000 to 4006, 5000 to 5004.
enum class DnnResult : int {
  kSuccess = 0,
  kNotInitialized = 1001,
  kBadParameter = 2000,
  kNotSupported = 3000,
  kInternalError = 4000,
  kHostAllocationFailed = 4003,
  kDeviceAllocationFailed = 4004,
  kExecutionFailed = 5000,
  // Results of version 8.
  kOldNotInitialized = 1,
  kOldAllocationFailed = 2,
  kOldBadParameter = 3,
  kOldInternalError = 4,
  kOldArchitectureMismatch = 6,
  kOldExecutionFailed = 8,
  kOldNotSupported = 9,
};

enum class DnnType : int {
  kFloat = 0,
  kDouble = 1,
  kHalf = 2,
  kBfloat16 = 9,
};

// The order of a filter's elements: [out, in, taps] or [out, taps, in].
enum class DnnFormat : int {
  kChannelsFirst = 0,
  kChannelsLast = 1,
};

enum class DnnConvolutionMode : int {
  kConvolution = 0,  // mirrors the filter
  kCrossCorrelation = 1,
};

// Whether tensor cores may be used, which round factors of float to tf32.
enum class DnnMath : int {
  kDefault = 0,
  kTensorCores = 1,
  kNoTensorCores = 3,
};

enum class DnnDeterminism : int { kNot = 0, kYes = 1 };

struct DnnHandleObject;
struct DnnTensorObject;
struct DnnFilterObject;
struct DnnConvolutionObject;
using DnnHandle = DnnHandleObject*;
using DnnTensor = DnnTensorObject*;
using DnnFilter = DnnFilterObject*;
using DnnConvolution = DnnConvolutionObject*;

// The library's expectations of an algorithm. The three passes number their
// algorithms differently.
struct DnnAlgorithmResult {
  int algorithm;
  DnnResult status;
  float milliseconds;
  size_t workspace_bytes;
  DnnDeterminism determinism;
  DnnMath math;
  int reserved[3];
};

// Returns 1000 * major + 10 * minor of the CUDA that the library is for, which
// its name does not say.
inline constexpr char kDnnCudaVersion[] = "cudnnGetCudartVersion";
using DnnCudaVersion = size_t (*)();

// X(Name, symbol, (parameters)): a call that returns DnnResult. Sizes and
// strides are in the order batch, channels, space, whatever the order of the
// elements. One thread at a time may use a handle, which belongs to the context
// that was current when it was made.
#define MILLRACE_CUDA_CUDNN_CALLS(X)                                       \
  X(Create, cudnnCreate, (DnnHandle * handle))                             \
  X(Destroy, cudnnDestroy, (DnnHandle handle))                             \
  X(SetStream, cudnnSetStream, (DnnHandle handle, Stream stream))          \
  X(TensorCreate, cudnnCreateTensorDescriptor, (DnnTensor * tensor))       \
  X(TensorDestroy, cudnnDestroyTensorDescriptor, (DnnTensor tensor))       \
  X(TensorSet, cudnnSetTensorNdDescriptor,                                 \
    (DnnTensor tensor, DnnType type, int rank, const int* sizes,           \
     const int* strides))                                                  \
  X(FilterCreate, cudnnCreateFilterDescriptor, (DnnFilter * filter))       \
  X(FilterDestroy, cudnnDestroyFilterDescriptor, (DnnFilter filter))       \
  /* Sizes are out, in of a group, space. */                               \
  X(FilterSet, cudnnSetFilterNdDescriptor,                                 \
    (DnnFilter filter, DnnType type, DnnFormat format, int rank,           \
     const int* sizes))                                                    \
  X(ConvolutionCreate, cudnnCreateConvolutionDescriptor,                   \
    (DnnConvolution * convolution))                                        \
  X(ConvolutionDestroy, cudnnDestroyConvolutionDescriptor,                 \
    (DnnConvolution convolution))                                          \
  /* The same padding before and after. */                                 \
  X(ConvolutionSet, cudnnSetConvolutionNdDescriptor,                       \
    (DnnConvolution convolution, int rank, const int* padding,             \
     const int* strides, const int* dilations, DnnConvolutionMode mode,    \
     DnnType compute))                                                     \
  X(ConvolutionSetGroups, cudnnSetConvolutionGroupCount,                   \
    (DnnConvolution convolution, int groups))                              \
  X(ConvolutionSetMath, cudnnSetConvolutionMathType,                       \
    (DnnConvolution convolution, DnnMath math))                            \
  /* Up to `requested` algorithms each, best first. */                     \
  X(ForwardAlgorithms, cudnnGetConvolutionForwardAlgorithm_v7,             \
    (DnnHandle handle, DnnTensor input, DnnFilter filter,                  \
     DnnConvolution convolution, DnnTensor output, int requested,          \
     int* returned, DnnAlgorithmResult* results))                          \
  X(InputAlgorithms, cudnnGetConvolutionBackwardDataAlgorithm_v7,          \
    (DnnHandle handle, DnnFilter filter, DnnTensor output,                 \
     DnnConvolution convolution, DnnTensor input, int requested,           \
     int* returned, DnnAlgorithmResult* results))                          \
  X(FilterAlgorithms, cudnnGetConvolutionBackwardFilterAlgorithm_v7,       \
    (DnnHandle handle, DnnTensor input, DnnTensor output,                  \
     DnnConvolution convolution, DnnFilter filter, int requested,          \
     int* returned, DnnAlgorithmResult* results))                          \
  /* What is computed, the last operand, becomes alpha * result + beta *   \
     itself, in the order of the stream. Factors lie on the host; they are \
     double for tensors of double, else float. */                          \
  X(Forward, cudnnConvolutionForward,                                      \
    (DnnHandle handle, const void* alpha, DnnTensor input_layout,          \
     DevicePointer input, DnnFilter filter_layout, DevicePointer filter,   \
     DnnConvolution convolution, int algorithm, DevicePointer workspace,   \
     size_t workspace_bytes, const void* beta, DnnTensor output_layout,    \
     DevicePointer output))                                                \
  X(BackwardInput, cudnnConvolutionBackwardData,                           \
    (DnnHandle handle, const void* alpha, DnnFilter filter_layout,         \
     DevicePointer filter, DnnTensor output_layout, DevicePointer output,  \
     DnnConvolution convolution, int algorithm, DevicePointer workspace,   \
     size_t workspace_bytes, const void* beta, DnnTensor input_layout,     \
     DevicePointer input))                                                 \
  X(BackwardFilter, cudnnConvolutionBackwardFilter,                        \
    (DnnHandle handle, const void* alpha, DnnTensor input_layout,          \
     DevicePointer input, DnnTensor output_layout, DevicePointer output,   \
     DnnConvolution convolution, int algorithm, DevicePointer workspace,   \
     size_t workspace_bytes, const void* beta, DnnFilter filter_layout,    \
     DevicePointer filter))

}  // namespace millrace::cuda
