#include "millrace/graph/device_name.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace millrace {
namespace {

bool IsNameChar(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// "*" leaves `part` unset; a name begins with a letter.
bool TakeName(absl::string_view* in, std::optional<std::string>* part) {
  part->reset();
  if (absl::ConsumePrefix(in, "*")) return true;
  if (in->empty() || !absl::ascii_isalpha(static_cast<unsigned char>((*in)[0])))
    return false;
  size_t n = 1;
  while (n < in->size() && IsNameChar((*in)[n])) ++n;
  *part = std::string(in->substr(0, n));
  in->remove_prefix(n);
  return true;
}

bool TakeNumber(absl::string_view* in, std::optional<int>* part) {
  part->reset();
  if (absl::ConsumePrefix(in, "*")) return true;
  size_t n = 0;
  while (n < in->size() &&
         absl::ascii_isdigit(static_cast<unsigned char>((*in)[n])))
    ++n;
  int value = 0;
  if (!absl::SimpleAtoi(in->substr(0, n), &value)) return false;
  *part = value;
  in->remove_prefix(n);
  return true;
}

bool TakePart(absl::string_view* in, DeviceName* d) {
  if (absl::ConsumePrefix(in, "/job:")) return TakeName(in, &d->job);
  if (absl::ConsumePrefix(in, "/replica:")) return TakeNumber(in, &d->replica);
  if (absl::ConsumePrefix(in, "/task:")) return TakeNumber(in, &d->task);
  if (absl::ConsumePrefix(in, "/device:")) {
    if (!TakeName(in, &d->type)) return false;
  } else if (absl::StartsWithIgnoreCase(*in, "/cpu") ||
             absl::StartsWithIgnoreCase(*in, "/gpu")) {
    in->remove_prefix(1);
    if (!TakeName(in, &d->type)) return false;
  } else {
    return false;
  }
  if (d->type) absl::AsciiStrToUpper(&*d->type);
  d->index.reset();
  return !absl::ConsumePrefix(in, ":") || TakeNumber(in, &d->index);
}

// Merges two parts, of which at most one is set or which are equal.
template <class T>
Status MergePart(const char* what, const std::optional<T>& o,
                 std::optional<T>* part) {
  if (!o) return OkStatus();
  if (*part && **part != *o) {
    return InvalidArgument("Cannot merge devices with incompatible ", what,
                           ": '", **part, "' and '", *o, "'");
  }
  *part = o;
  return OkStatus();
}

template <class T>
bool PartMatches(const std::optional<T>& part, const std::optional<T>& full) {
  return !part || part == full;
}

}  // namespace

StatusOr<DeviceName> DeviceName::Parse(absl::string_view name) {
  DeviceName d;
  absl::string_view rest = name == "/" ? "" : name;
  while (!rest.empty()) {
    const size_t before = rest.size();
    const bool taken = TakePart(&rest, &d);
    const bool at_part_end = rest.empty() || rest[0] == '/';
    if (!taken || !at_part_end || rest.size() == before) {
      return InvalidArgument(
          "Malformed device specification '", name,
          "'; expected parts of /job:NAME/replica:N/task:N/device:TYPE:N");
    }
  }
  return d;
}

bool DeviceName::Matches(const DeviceName& full) const {
  return PartMatches(job, full.job) && PartMatches(replica, full.replica) &&
         PartMatches(task, full.task) && PartMatches(type, full.type) &&
         PartMatches(index, full.index);
}

DeviceName DeviceName::OverriddenBy(const DeviceName& inner) const {
  DeviceName d = *this;
  if (inner.job) d.job = inner.job;
  if (inner.replica) d.replica = inner.replica;
  if (inner.task) d.task = inner.task;
  // An index counts devices of one type.
  if (inner.type && inner.type != d.type) d.index.reset();
  if (inner.type) d.type = inner.type;
  if (inner.index) d.index = inner.index;
  return d;
}

StatusOr<DeviceName> DeviceName::Merge(const DeviceName& o, bool soft) const {
  DeviceName d = *this;
  MR_RETURN_IF_ERROR(MergePart("jobs", o.job, &d.job));
  MR_RETURN_IF_ERROR(MergePart("replicas", o.replica, &d.replica));
  MR_RETURN_IF_ERROR(MergePart("tasks", o.task, &d.task));
  Status status = MergePart("types", o.type, &d.type);
  if (status.ok()) status = MergePart("ids", o.index, &d.index);
  if (!status.ok()) {
    if (!soft) return status;
    d.type.reset();
    d.index.reset();
  }
  return d;
}

std::string DeviceName::ToString() const {
  std::string out;
  if (job) absl::StrAppend(&out, "/job:", *job);
  if (replica) absl::StrAppend(&out, "/replica:", *replica);
  if (task) absl::StrAppend(&out, "/task:", *task);
  if (type || index) {
    absl::StrAppend(&out, "/device:", type ? *type : "*");
    if (index) absl::StrAppend(&out, ":", *index);
  }
  return out;
}

std::string DeviceName::TaskString() const {
  DeviceName d = *this;
  d.type.reset();
  d.index.reset();
  return d.ToString();
}

}  // namespace millrace
