// The calls of the run-time compiler.
#include "millrace/device/cuda/nvrtc_api.h"

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "tests/gpu/standin/calls.h"
#include "tests/gpu/standin/compile.h"
#include "tests/gpu/standin/image.h"
#include "tests/gpu/standin/settings.h"

#define MR_NVRTC_EXPORT extern "C" __attribute__((visibility("default")))
#define MR_NVRTC_BEGIN(symbol)                                          \
  if (const int failed = ::millrace::cuda::standin::CountCall(#symbol); \
      failed != 0)                                                      \
  return static_cast<NvrtcResult>(failed)

namespace millrace::cuda {

#pragma GCC visibility push(default)
#define MR_NVRTC_DECLARE(Name, symbol, parameters) \
  extern "C" NvrtcResult symbol parameters;
MILLRACE_CUDA_NVRTC_CALLS(MR_NVRTC_DECLARE)
#undef MR_NVRTC_DECLARE
#pragma GCC visibility pop

struct NvrtcProgramObject {
  std::string source;
  std::string log;
  std::string machine_code, ptx;  // empty: none
};

namespace {

constexpr int kArchitectures[] = {75, 80, 86, 87, 89, 90, 100, 120};

// What the options of a compilation ask for.
struct Request {
  std::vector<std::string> macros;
  int capability = 75;
  bool is_virtual = true;  // PTX only
};

bool StartsWith(const std::string& text, const char* prefix) {
  return text.rfind(prefix, 0) == 0;
}

bool ReadArchitecture(const std::string& name, Request* request) {
  request->is_virtual = StartsWith(name, "compute_");
  if (!request->is_virtual && !StartsWith(name, "sm_")) return false;
  request->capability = std::atoi(name.c_str() + name.find('_') + 1);
  for (const int known : kArchitectures) {
    if (known == request->capability) return true;
  }
  return false;
}

NvrtcResult ReadOptions(const std::vector<std::string>& options,
                        Request* request) {
  for (size_t i = 0; i < options.size(); ++i) {
    const std::string& option = options[i];
    if (StartsWith(option, "-D")) {
      request->macros.push_back(option);
    } else if (StartsWith(option, "--define-macro=")) {
      request->macros.push_back("-D" + option.substr(15));
    } else if (StartsWith(option, "--gpu-architecture=") ||
               StartsWith(option, "-arch=")) {
      if (!ReadArchitecture(option.substr(option.find('=') + 1), request))
        return NvrtcResult::kInvalidOption;
    } else if (!StartsWith(option, "-")) {
      return NvrtcResult::kInvalidOption;
    }
  }
  return NvrtcResult::kSuccess;
}

NvrtcResult CopyOut(const std::string& bytes, char* to) {
  if (bytes.empty()) return NvrtcResult::kInvalidInput;
  std::memcpy(to, bytes.data(), bytes.size());
  return NvrtcResult::kSuccess;
}

}  // namespace

// One that is missing is an error of the linker.
extern const void* const all_nvrtc_symbols[];
const void* const all_nvrtc_symbols[] = {
#define MR_NVRTC_ADDRESS(Name, symbol, parameters) \
  reinterpret_cast<const void*>(&symbol),
    MILLRACE_CUDA_NVRTC_CALLS(MR_NVRTC_ADDRESS)
#undef MR_NVRTC_ADDRESS
};

MR_NVRTC_EXPORT NvrtcResult nvrtcVersion(int* major, int* minor) {
  MR_NVRTC_BEGIN(nvrtcVersion);
  *major = 13;
  // What it compiles is kept under its version.
  *minor = standin::FusesMultiplyAdds() ? 2 : 0;
  return NvrtcResult::kSuccess;
}

MR_NVRTC_EXPORT NvrtcResult nvrtcGetNumSupportedArchs(int* count) {
  MR_NVRTC_BEGIN(nvrtcGetNumSupportedArchs);
  *count = static_cast<int>(std::size(kArchitectures));
  return NvrtcResult::kSuccess;
}

MR_NVRTC_EXPORT NvrtcResult nvrtcGetSupportedArchs(int* archs) {
  MR_NVRTC_BEGIN(nvrtcGetSupportedArchs);
  std::memcpy(archs, kArchitectures, sizeof(kArchitectures));
  return NvrtcResult::kSuccess;
}

MR_NVRTC_EXPORT NvrtcResult nvrtcCreateProgram(
    NvrtcProgram* program, const char* source, const char* name,
    int num_headers, const char* const* headers, const char* const* names) {
  MR_NVRTC_BEGIN(nvrtcCreateProgram);
  (void)name, (void)headers, (void)names;
  if (source == nullptr || num_headers != 0) return NvrtcResult::kInvalidInput;
  *program = new NvrtcProgramObject{source, "", "", ""};
  return NvrtcResult::kSuccess;
}

MR_NVRTC_EXPORT NvrtcResult nvrtcDestroyProgram(NvrtcProgram* program) {
  MR_NVRTC_BEGIN(nvrtcDestroyProgram);
  delete *program;
  *program = nullptr;
  return NvrtcResult::kSuccess;
}

MR_NVRTC_EXPORT NvrtcResult nvrtcCompileProgram(NvrtcProgram program,
                                                int num_options,
                                                const char* const* options) {
  MR_NVRTC_BEGIN(nvrtcCompileProgram);
  Request request;
  const NvrtcResult read = ReadOptions(
      std::vector<std::string>(options, options + num_options), &request);
  if (read != NvrtcResult::kSuccess) return read;
  standin::Image image;
  image.capability = request.capability;
  image.options = request.macros;
  image.options.push_back("-D__CUDA_ARCH__=" +
                          std::to_string(10 * request.capability));
  const standin::Compiled compiled =
      standin::CompileDeviceText(program->source, image.options);
  program->log = compiled.log;
  if (!compiled.ok) return NvrtcResult::kCompilation;
  image.text = program->source;
  program->ptx = standin::WritePtx(image);
  image.library = compiled.library;
  if (!request.is_virtual)
    program->machine_code = standin::WriteMachineCode(image);
  return NvrtcResult::kSuccess;
}

MR_NVRTC_EXPORT NvrtcResult nvrtcGetProgramLogSize(NvrtcProgram program,
                                                   size_t* bytes) {
  MR_NVRTC_BEGIN(nvrtcGetProgramLogSize);
  *bytes = program->log.size() + 1;
  return NvrtcResult::kSuccess;
}

MR_NVRTC_EXPORT NvrtcResult nvrtcGetProgramLog(NvrtcProgram program,
                                               char* log) {
  MR_NVRTC_BEGIN(nvrtcGetProgramLog);
  std::memcpy(log, program->log.c_str(), program->log.size() + 1);
  return NvrtcResult::kSuccess;
}

MR_NVRTC_EXPORT NvrtcResult nvrtcGetCUBINSize(NvrtcProgram program,
                                              size_t* bytes) {
  MR_NVRTC_BEGIN(nvrtcGetCUBINSize);
  *bytes = program->machine_code.size();
  return NvrtcResult::kSuccess;
}

MR_NVRTC_EXPORT NvrtcResult nvrtcGetCUBIN(NvrtcProgram program, char* code) {
  MR_NVRTC_BEGIN(nvrtcGetCUBIN);
  return CopyOut(program->machine_code, code);
}

MR_NVRTC_EXPORT NvrtcResult nvrtcGetPTXSize(NvrtcProgram program,
                                            size_t* bytes) {
  MR_NVRTC_BEGIN(nvrtcGetPTXSize);
  *bytes = program->ptx.size();
  return NvrtcResult::kSuccess;
}

MR_NVRTC_EXPORT NvrtcResult nvrtcGetPTX(NvrtcProgram program, char* ptx) {
  MR_NVRTC_BEGIN(nvrtcGetPTX);
  return CopyOut(program->ptx, ptx);
}

}  // namespace millrace::cuda
