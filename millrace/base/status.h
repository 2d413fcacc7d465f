// Status, StatusOr and the two macros that propagate errors.
//
// The codes equal TensorFlow's and gRPC's. A message begins with its fixed
// text, ends with the values, and says what would be accepted.
#pragma once

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace millrace {

using absl::OkStatus;
using absl::Status;
using absl::StatusCode;
using absl::StatusOr;

// Each function builds a Status of its code from absl::StrCat's arguments.
#define MR_DEFINE_ERROR(Name)                        \
  template <class... Args>                           \
  [[nodiscard]] Status Name(const Args&... args) {   \
    return absl::Name##Error(absl::StrCat(args...)); \
  }
MR_DEFINE_ERROR(Cancelled)
MR_DEFINE_ERROR(InvalidArgument)
MR_DEFINE_ERROR(DeadlineExceeded)
MR_DEFINE_ERROR(NotFound)
MR_DEFINE_ERROR(AlreadyExists)
MR_DEFINE_ERROR(PermissionDenied)
MR_DEFINE_ERROR(Unauthenticated)
MR_DEFINE_ERROR(ResourceExhausted)
MR_DEFINE_ERROR(FailedPrecondition)
MR_DEFINE_ERROR(Aborted)
MR_DEFINE_ERROR(OutOfRange)
MR_DEFINE_ERROR(Unimplemented)
MR_DEFINE_ERROR(Internal)
MR_DEFINE_ERROR(Unavailable)
MR_DEFINE_ERROR(DataLoss)
#undef MR_DEFINE_ERROR

// Returns `status` with `suffix` appended to its message; its code and marks
// are kept.
Status Annotate(const Status& status, absl::string_view suffix);
// Returns `status` with `prefix` before its message; its code and marks are
// kept.
Status Prefix(absl::string_view prefix, const Status& status);

// A derived error is only a consequence of another one (such as the
// cancellation of a neighbour of the failed node). Where several errors meet,
// an underived one is reported.
Status MarkDerived(const Status& status);
bool IsDerived(const Status& status);

// Keeps the first error, but lets an underived one replace a derived one.
void UpdateStatus(Status& first, const Status& next);

namespace internal {
inline const Status& ToStatus(const Status& s) { return s; }
template <class T>
const Status& ToStatus(const StatusOr<T>& s) {
  return s.status();
}
}  // namespace internal

}  // namespace millrace

// Returns from the function if the expression (a Status) is not OK. It may have
// commas, as of template arguments.
#define MR_RETURN_IF_ERROR(...)                    \
  do {                                             \
    ::millrace::Status mr_status_ = (__VA_ARGS__); \
    if (!mr_status_.ok()) [[unlikely]]             \
      return mr_status_;                           \
  } while (0)

#define MR_CONCAT_INNER_(a, b) a##b
#define MR_CONCAT_(a, b) MR_CONCAT_INNER_(a, b)

// `MR_ASSIGN_OR_RETURN(auto x, F())` returns F's error or moves its value into
// `x`.
#define MR_ASSIGN_OR_RETURN(lhs, ...)                                    \
  MR_ASSIGN_OR_RETURN_IMPL_(MR_CONCAT_(mr_status_or_, __COUNTER__), lhs, \
                            __VA_ARGS__)
#define MR_ASSIGN_OR_RETURN_IMPL_(tmp, lhs, ...) \
  auto tmp = (__VA_ARGS__);                      \
  if (!tmp.ok()) [[unlikely]]                    \
    return ::millrace::internal::ToStatus(tmp);  \
  lhs = std::move(tmp).value()
