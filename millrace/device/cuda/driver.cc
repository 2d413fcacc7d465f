#include "millrace/device/cuda/driver.h"

#include "absl/strings/str_cat.h"

namespace millrace::cuda {

std::string VersionText(int version) {
  return absl::StrCat(version / 1000, ".", version % 1000 / 10);
}

std::string ErrorText(const Driver& driver, Result error) {
  const char* name = nullptr;
  const char* text = nullptr;
  if (driver.GetErrorName(error, &name) != Result::kSuccess ||
      name == nullptr) {
    return absl::StrCat("error ", static_cast<int>(error));
  }
  if (driver.GetErrorString(error, &text) != Result::kSuccess ||
      text == nullptr) {
    return name;
  }
  return absl::StrCat(name, ": ", text);
}

bool IsSticky(Result error) {
  return EndsContext(error) || error == Result::kUnknown ||
         error == Result::kDeinitialized || error == Result::kInvalidContext;
}

StatusOr<Driver> InitializeDriver(const Library& library) {
  Driver calls;
  CallFinder find(library);
  MILLRACE_CUDA_DRIVER_CALLS(MR_FIND_CUDA_CALL)
  calls.Mark = reinterpret_cast<decltype(calls.Mark)>(
      library.Symbol("millraceStandInMark"));
  if (calls.DriverGetVersion != nullptr) {
    const Result result = calls.DriverGetVersion(&calls.version);
    if (result != Result::kSuccess) {
      return Unavailable("the NVIDIA driver (", library.path,
                         ") does not say its version: error ",
                         static_cast<int>(result));
    }
  }
  if (calls.version < kOldestDriver || !find.missing().empty()) {
    return FailedPrecondition(
        "the NVIDIA driver (", library.path, ") is too old: it is for CUDA ",
        VersionText(calls.version),
        find.missing().empty() ? ""
                               : absl::StrCat(" and has no ", find.missing()),
        "; needed is one for CUDA ", VersionText(kOldestDriver), " or newer");
  }
  const Result result = calls.Init(0);
  if (result != Result::kSuccess) {
    return Unavailable("the NVIDIA driver (", library.path,
                       ") cannot be used: cuInit: ", ErrorText(calls, result));
  }
  return calls;
}

StatusOr<const Driver*> ProcessDriver() {
  static constinit ProcessLibrary<Driver> driver;
  return driver.Get([] {
    return OpenCalls<Driver>({.fitting = {"libcuda.so.1"}}, InitializeDriver);
  });
}

}  // namespace millrace::cuda
