// The calls of NVIDIA's run-time compiler (libnvrtc.so.12, .13) that are in
// use, as driver_api.h has those of the driver.
#pragma once

#include <cstddef>

namespace millrace::cuda {

enum class NvrtcResult : int {
  kSuccess = 0,
  kOutOfMemory = 1,
  kInvalidInput = 3,
  kInvalidOption = 5,
  kCompilation = 6,  // the program's log says why
};

struct NvrtcProgramObject;
using NvrtcProgram = NvrtcProgramObject*;

// X(Name, symbol, (parameters)): a call that returns NvrtcResult. Sizes count
// the final 0 of texts. Thread-safe but for two calls on one program.
#define MILLRACE_CUDA_NVRTC_CALLS(X)                                         \
  X(Version, nvrtcVersion, (int* major, int* minor))                         \
  /* Compute capabilities as 10 * major + minor, smallest first. */          \
  X(GetNumSupportedArchs, nvrtcGetNumSupportedArchs, (int* count))           \
  X(GetSupportedArchs, nvrtcGetSupportedArchs, (int* archs))                 \
  X(CreateProgram, nvrtcCreateProgram,                                       \
    (NvrtcProgram * program, const char* source, const char* name,           \
     int num_headers, const char* const* headers, const char* const* names)) \
  X(DestroyProgram, nvrtcDestroyProgram, (NvrtcProgram * program))           \
  X(CompileProgram, nvrtcCompileProgram,                                     \
    (NvrtcProgram program, int num_options, const char* const* options))     \
  X(GetProgramLogSize, nvrtcGetProgramLogSize,                               \
    (NvrtcProgram program, size_t * bytes))                                  \
  X(GetProgramLog, nvrtcGetProgramLog, (NvrtcProgram program, char* log))    \
  /* Machine code: of programs compiled with --gpu-architecture=sm_NN. */    \
  X(GetCubinSize, nvrtcGetCUBINSize, (NvrtcProgram program, size_t * bytes)) \
  X(GetCubin, nvrtcGetCUBIN, (NvrtcProgram program, char* code))             \
  /* PTX: also of those with --gpu-architecture=compute_NN. */               \
  X(GetPtxSize, nvrtcGetPTXSize, (NvrtcProgram program, size_t * bytes))     \
  X(GetPtx, nvrtcGetPTX, (NvrtcProgram program, char* ptx))

}  // namespace millrace::cuda
