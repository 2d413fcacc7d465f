#include "millrace/device/cuda/nvrtc.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "millrace/base/threads/thread.h"

namespace millrace::cuda {
namespace {

// The majors of CUDA whose compilers are known to work, newest first.
constexpr int kNvrtcMajors[] = {13, 12};

StatusOr<const Nvrtc*> LoadProcessNvrtc(int driver_version) {
  std::vector<std::string> names;
  for (const bool fits : {true, false}) {
    for (const int major : kNvrtcMajors) {
      if ((major <= driver_version / 1000) == fits) {
        names.push_back(absl::StrCat("libnvrtc.so.", major));
      }
    }
  }
  MR_ASSIGN_OR_RETURN(const Library library, OpenLibrary(names));
  MR_ASSIGN_OR_RETURN(Nvrtc nvrtc, InitializeNvrtc(library));
  return new Nvrtc(std::move(nvrtc));
}

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
  Nvrtc nvrtc;
  std::string missing;
#define MR_NVRTC_CALL(Name, symbol, parameters)                             \
  nvrtc.Name =                                                              \
      reinterpret_cast<NvrtcResult(*) parameters>(library.Symbol(#symbol)); \
  if (nvrtc.Name == nullptr && missing.empty()) missing = #symbol;
  MILLRACE_CUDA_NVRTC_CALLS(MR_NVRTC_CALL)
#undef MR_NVRTC_CALL
  if (!missing.empty()) {
    return Internal(library.path, " has no ", missing);
  }
  NvrtcResult result = nvrtc.Version(&nvrtc.major, &nvrtc.minor);
  if (result != NvrtcResult::kSuccess)
    return NvrtcError("nvrtcVersion", result);
  int count = 0;
  result = nvrtc.GetNumSupportedArchs(&count);
  if (result != NvrtcResult::kSuccess || count <= 0) {
    return NvrtcError("nvrtcGetNumSupportedArchs", result);
  }
  nvrtc.architectures.resize(static_cast<size_t>(count));
  result = nvrtc.GetSupportedArchs(nvrtc.architectures.data());
  if (result != NvrtcResult::kSuccess) {
    return NvrtcError("nvrtcGetSupportedArchs", result);
  }
  std::sort(nvrtc.architectures.begin(), nvrtc.architectures.end());
  return nvrtc;
}

StatusOr<const Nvrtc*> ProcessNvrtc(int driver_version) {
  static constinit Mutex mu;
  static constinit StatusOr<const Nvrtc*>* answer = nullptr;
  MutexLock lock(mu);
  if (answer == nullptr) {
    answer = new StatusOr<const Nvrtc*>(LoadProcessNvrtc(driver_version));
  }
  return *answer;
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
