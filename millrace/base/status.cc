#include "millrace/base/status.h"

namespace millrace {
namespace {

constexpr absl::string_view kDerivedMark = "millrace/derived";

Status WithMessage(const Status& status, absl::string_view message) {
  Status result(status.code(), message);
  status.ForEachPayload([&](absl::string_view url, const absl::Cord& value) {
    result.SetPayload(url, value);
  });
  return result;
}

}  // namespace

Status Annotate(const Status& status, absl::string_view suffix) {
  if (status.ok()) return status;
  return WithMessage(status, absl::StrCat(status.message(), suffix));
}

Status Prefix(absl::string_view prefix, const Status& status) {
  if (status.ok()) return status;
  return WithMessage(status, absl::StrCat(prefix, status.message()));
}

Status MarkDerived(const Status& status) {
  if (status.ok()) return status;
  Status result = status;
  result.SetPayload(kDerivedMark, absl::Cord("1"));
  return result;
}

bool IsDerived(const Status& status) {
  return !status.ok() && status.GetPayload(kDerivedMark).has_value();
}

void UpdateStatus(Status& first, const Status& next) {
  if (next.ok()) return;
  if (first.ok() || (IsDerived(first) && !IsDerived(next))) first = next;
}

}  // namespace millrace
