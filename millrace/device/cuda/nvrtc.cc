#include "millrace/device/cuda/nvrtc.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace millrace::cuda {
namespace {

// The majors of CUDA whose compilers are known to work.
constexpr int kNvrtcMajors[] = {12, 13};

// A program of the compiler, for a scope.
class NvrtcProgramScope {
 public:
  explicit NvrtcProgramScope(const Nvrtc& nvrtc) : nvrtc_(nvrtc) {}
  ~NvrtcProgramScope() {
    if (program_ != nullptr) (void)nvrtc_.DestroyProgram(&program_);
  }
  NvrtcProgram* place() { return &program_; }
  NvrtcProgram get() const { return program_; }

 private:
  const Nvrtc& nvrtc_;
  NvrtcProgram program_ = nullptr;
};

Status NvrtcError(const char* call, NvrtcResult result) {
  if (result == NvrtcResult::kOutOfMemory) {
    return ResourceExhausted("the compiler of kernels for GPUs has no memory: ",
                             call);
  }
  return Internal("the compiler of kernels for GPUs fails: ", call, ": error ",
                  static_cast<int>(result));
}

std::string LogOf(const Nvrtc& nvrtc, NvrtcProgram program) {
  size_t bytes = 0;
  if (nvrtc.GetProgramLogSize(program, &bytes) != NvrtcResult::kSuccess ||
      bytes <= 1) {
    return "";
  }
  std::string log(bytes, '\0');
  if (nvrtc.GetProgramLog(program, log.data()) != NvrtcResult::kSuccess) {
    return "";
  }
  log.resize(bytes - 1);
  return std::string(absl::StripAsciiWhitespace(log));
}

}  // namespace

StatusOr<Nvrtc> InitializeNvrtc(const Library& library) {
  Nvrtc calls;
  CallFinder find(library);
  MILLRACE_CUDA_NVRTC_CALLS(MR_FIND_CUDA_CALL)
  MR_RETURN_IF_ERROR(find.status());
  calls.path = library.path;
  NvrtcResult result = calls.Version(&calls.major, &calls.minor);
  const auto failed = [&](const char* call) {
    return Annotate(NvrtcError(call, result),
                    absl::StrCat(" of ", library.path));
  };
  if (result != NvrtcResult::kSuccess) return failed("nvrtcVersion");
  int count = 0;
  result = calls.GetNumSupportedArchs(&count);
  if (result != NvrtcResult::kSuccess || count <= 0) {
    return failed("nvrtcGetNumSupportedArchs");
  }
  calls.architectures.resize(static_cast<size_t>(count));
  result = calls.GetSupportedArchs(calls.architectures.data());
  if (result != NvrtcResult::kSuccess) return failed("nvrtcGetSupportedArchs");
  std::sort(calls.architectures.begin(), calls.architectures.end());
  return calls;
}

StatusOr<const Nvrtc*> ProcessNvrtc(int driver_version) {
  static constinit ProcessLibrary<Nvrtc> nvrtc;
  return nvrtc.Get([&] {
    return OpenCalls<Nvrtc>(
        NamesOfVersions("libnvrtc.so", kNvrtcMajors, driver_version / 1000),
        InitializeNvrtc);
  });
}

StatusOr<CompileTarget> TargetFor(const Nvrtc& nvrtc, int compute_capability) {
  CompileTarget target;
  for (const int architecture : nvrtc.architectures) {
    if (architecture <= compute_capability) target.architecture = architecture;
  }
  if (target.architecture == 0) {
    return FailedPrecondition(
        "NVRTC ", nvrtc.major, ".", nvrtc.minor,
        " compiles for no card as old as compute capability ",
        compute_capability / 10, ".", compute_capability % 10, ", but from ",
        nvrtc.architectures.front() / 10, ".", nvrtc.architectures.front() % 10,
        " on; an older one is needed");
  }
  target.machine_code = target.architecture == compute_capability;
  return target;
}

std::vector<std::string> CompileOptions(const CompileTarget& target) {
  return {absl::StrCat(
              "--gpu-architecture=", target.machine_code ? "sm_" : "compute_",
              target.architecture),
          "--std=c++17", "--device-as-default-execution-space"};
}

StatusOr<std::string> Compile(const Nvrtc& nvrtc, const CompileTarget& target,
                              const std::string& text,
                              const std::string& name) {
  NvrtcProgramScope program(nvrtc);
  NvrtcResult result = nvrtc.CreateProgram(program.place(), text.c_str(),
                                           name.c_str(), 0, nullptr, nullptr);
  if (result != NvrtcResult::kSuccess) {
    return NvrtcError("nvrtcCreateProgram", result);
  }
  const std::vector<std::string> options = CompileOptions(target);
  std::vector<const char*> pointers;
  for (const std::string& option : options) pointers.push_back(option.c_str());
  result = nvrtc.CompileProgram(program.get(), static_cast<int>(options.size()),
                                pointers.data());
  if (result == NvrtcResult::kCompilation) {
    return InvalidArgument(LogOf(nvrtc, program.get()));
  }
  if (result != NvrtcResult::kSuccess) {
    return Annotate(NvrtcError("nvrtcCompileProgram", result),
                    absl::StrCat(" ", LogOf(nvrtc, program.get())));
  }
  size_t bytes = 0;
  result = target.machine_code ? nvrtc.GetCubinSize(program.get(), &bytes)
                               : nvrtc.GetPtxSize(program.get(), &bytes);
  if (result != NvrtcResult::kSuccess || bytes == 0) {
    return NvrtcError("nvrtcGetCUBINSize", result);
  }
  std::string code(bytes, '\0');
  result = target.machine_code ? nvrtc.GetCubin(program.get(), code.data())
                               : nvrtc.GetPtx(program.get(), code.data());
  if (result != NvrtcResult::kSuccess) {
    return NvrtcError("nvrtcGetCUBIN", result);
  }
  return code;
}

}  // namespace millrace::cuda
