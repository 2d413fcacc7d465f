#include "millrace/device/cuda/driver.h"

#include "absl/strings/str_cat.h"
#include "millrace/base/threads/thread.h"

namespace millrace::cuda {
namespace {

std::string VersionText(int version) {
  return absl::StrCat(version / 1000, ".", version % 1000 / 10);
}

StatusOr<const Driver*> LoadProcessDriver() {
  const std::string names[] = {"libcuda.so.1"};
  MR_ASSIGN_OR_RETURN(const Library library, OpenLibrary(names));
  MR_ASSIGN_OR_RETURN(Driver driver, InitializeDriver(library));
  return new Driver(driver);
}

}  // namespace

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
  const int code = static_cast<int>(error);
  if (code >= 700 && code <= 719) return code != 704 && code != 705;
  return error == Result::kUncorrectableMemory || error == Result::kUnknown ||
         error == Result::kDeinitialized || error == Result::kInvalidContext;
}

StatusOr<Driver> InitializeDriver(const Library& library) {
  Driver driver;
  std::string missing;
#define MR_CUDA_CALL(Name, symbol, parameters)                         \
  driver.Name =                                                        \
      reinterpret_cast<Result(*) parameters>(library.Symbol(#symbol)); \
  if (driver.Name == nullptr && missing.empty()) missing = #symbol;
  MILLRACE_CUDA_DRIVER_CALLS(MR_CUDA_CALL)
#undef MR_CUDA_CALL
  driver.Mark = reinterpret_cast<decltype(driver.Mark)>(
      library.Symbol("millraceStandInMark"));
  if (driver.DriverGetVersion != nullptr) {
    const Result result = driver.DriverGetVersion(&driver.version);
    if (result != Result::kSuccess) {
      return Unavailable("the NVIDIA driver (", library.path,
                         ") does not say its version: error ",
                         static_cast<int>(result));
    }
  }
  if (driver.version < kOldestDriver || !missing.empty()) {
    return FailedPrecondition(
        "the NVIDIA driver (", library.path, ") is too old: it is for CUDA ",
        VersionText(driver.version),
        missing.empty() ? "" : absl::StrCat(" and has no ", missing),
        "; needed is one for CUDA ", VersionText(kOldestDriver), " or newer");
  }
  const Result result = driver.Init(0);
  if (result != Result::kSuccess) {
    return Unavailable("the NVIDIA driver (", library.path,
                       ") cannot be used: cuInit: ", ErrorText(driver, result));
  }
  return driver;
}

StatusOr<const Driver*> ProcessDriver() {
  static constinit Mutex mu;
  static constinit StatusOr<const Driver*>* answer = nullptr;
  MutexLock lock(mu);
  if (answer == nullptr) {
    answer = new StatusOr<const Driver*>(LoadProcessDriver());
  }
  return *answer;
}

}  // namespace millrace::cuda
