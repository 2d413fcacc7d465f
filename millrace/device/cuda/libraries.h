// Finds NVIDIA's libraries when the program runs. No build needs them, and the
// program works without any.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "millrace/base/status.h"
#include "millrace/base/threads/thread.h"

namespace millrace::cuda {

// A library that is loaded; one that was taken stays so until the process ends.
struct Library {
  void* handle = nullptr;
  std::string path;

  // Returns null if the library has no such symbol.
  void* Symbol(const char* name) const;
};

// The names of a library's file, best first. Those that fit are looked for
// everywhere before any of the others, which may work, too.
struct LibraryNames {
  std::vector<std::string> fitting, others;
};

// Returns the names of versions of a library, "libnvrtc.so.13": those up to
// `newest` fit, the newest of them best; of the others the oldest is best.
LibraryNames NamesOfVersions(absl::string_view file,
                             absl::Span<const int> majors, int newest);

// Opens the libraries that are found under the names, one after the other,
// until `take` returns OK for one, and returns that. They are looked for in the
// folder MILLRACE_CUDA_LIBRARIES; then the best name first where the system
// looks, in CUDA_HOME and CUDA_PATH, in /usr/local/cuda, and among Python's
// nvidia-* packages (those of VIRTUAL_ENV and CONDA_PREFIX, and those beside
// the Python package of Millrace). NOT_FOUND with the system's reason if none
// can be opened; otherwise the error of the first `take`, with the texts of the
// others.
StatusOr<Library> OpenLibrary(const LibraryNames& names,
                              absl::FunctionRef<Status(const Library&)> take);

// Returns the calls of the first library for which `initialize` returns some,
// found as OpenLibrary does.
template <class Calls>
StatusOr<Calls> OpenCalls(
    const LibraryNames& names,
    absl::FunctionRef<StatusOr<Calls>(const Library&)> initialize) {
  std::optional<Calls> calls;
  const auto library = OpenLibrary(names, [&](const Library& found) -> Status {
    MR_ASSIGN_OR_RETURN(calls, initialize(found));
    return OkStatus();
  });
  MR_RETURN_IF_ERROR(library.status());
  return *std::move(calls);
}

// Finds the calls of a list (driver_api.h and others), and remembers the first
// that is missing:
//
//   CallFinder find(library);
//   MILLRACE_CUDA_NVRTC_CALLS(MR_FIND_CUDA_CALL)  // fills `calls`
//   MR_RETURN_IF_ERROR(find.status());
class CallFinder {
 public:
  explicit CallFinder(const Library& library) : library_(library) {}
  template <class F>
  void Find(const char* symbol, F** place) {
    *place = reinterpret_cast<F*>(library_.Symbol(symbol));
    if (*place == nullptr && missing_.empty()) missing_ = symbol;
  }
  // Empty: none.
  const std::string& missing() const { return missing_; }
  // Returns FAILED_PRECONDITION that names library and symbol if one is
  // missing.
  Status status() const;

 private:
  const Library& library_;
  std::string missing_;
};
#define MR_FIND_CUDA_CALL(Name, symbol, parameters) \
  find.Find(#symbol, &calls.Name);

// Logs, once in a process for each `name`, that a library is missing or does
// not work, and what follows from that.
void LogMissingLibrary(absl::string_view name, const Status& reason,
                       absl::string_view consequence);

// The calls of a library in this process: those of the first `load`, or its
// error. For static variables; thread-safe.
template <class Calls>
class ProcessLibrary {
 public:
  using Load = absl::FunctionRef<StatusOr<Calls>()>;
  constexpr ProcessLibrary() = default;

  const StatusOr<const Calls*>& Get(Load load) {
    MutexLock lock(mu_);
    if (answer_ == nullptr) {
      StatusOr<Calls> calls = load();
      answer_ = calls.ok()
                    ? new StatusOr<const Calls*>(new Calls(*std::move(calls)))
                    : new StatusOr<const Calls*>(calls.status());
    }
    return *answer_;
  }
  // Returns null if the library is missing or does not work, which is then
  // logged.
  const Calls* GetOptional(absl::string_view name,
                           absl::string_view consequence, Load load) {
    const StatusOr<const Calls*>& calls = Get([&]() -> StatusOr<Calls> {
      StatusOr<Calls> loaded = load();
      if (!loaded.ok()) LogMissingLibrary(name, loaded.status(), consequence);
      return loaded;
    });
    return calls.ok() ? *calls : nullptr;
  }

 private:
  Mutex mu_;
  const StatusOr<const Calls*>* answer_ = nullptr;  // never deleted
};

}  // namespace millrace::cuda
