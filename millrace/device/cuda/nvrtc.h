// The run-time compiler, loaded.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "millrace/base/status.h"
#include "millrace/device/cuda/libraries.h"
#include "millrace/device/cuda/nvrtc_api.h"

namespace millrace::cuda {

// Its calls by name.
struct Nvrtc {
#define MR_NVRTC_CALL(Name, symbol, parameters) \
  NvrtcResult(*Name) parameters = nullptr;
  MILLRACE_CUDA_NVRTC_CALLS(MR_NVRTC_CALL)
#undef MR_NVRTC_CALL
  std::string path;  // of the library
  int major = 0, minor = 0;
  std::vector<int> architectures;  // 10 * major + minor, smallest first
};

// Returns the compiler of this process, loaded by the first call: the newest
// that is not of a later CUDA than the driver's, else any; one that does not
// work is passed over. NOT_FOUND without the library, FAILED_PRECONDITION if it
// lacks a call, INTERNAL if it does not work. The answer is the same for all
// calls.
StatusOr<const Nvrtc*> ProcessNvrtc(int driver_version);

// Does the same anew with a library, for ProcessNvrtc and tests.
StatusOr<Nvrtc> InitializeNvrtc(const Library& library);

// The kind of code that a text is compiled to.
struct CompileTarget {
  int architecture = 0;       // 10 * major + minor
  bool machine_code = false;  // otherwise PTX, which the driver finishes
};

// Returns machine code for a card of this compute capability; where the
// compiler does not know it, PTX for the newest one below.
StatusOr<CompileTarget> TargetFor(const Nvrtc& nvrtc, int compute_capability);

// The options of a compilation, for keys of caches too.
std::vector<std::string> CompileOptions(const CompileTarget& target);

// Compiles a text; returns machine code, or PTX with its final 0. `name` is in
// the messages of the compiler. INVALID_ARGUMENT is the compiler's log.
StatusOr<std::string> Compile(const Nvrtc& nvrtc, const CompileTarget& target,
                              const std::string& text, const std::string& name);

}  // namespace millrace::cuda
