// Device names: "/job:worker/replica:0/task:1/device:CPU:0", parts of them,
// and the short forms "/cpu:0" and "/gpu:1".
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "millrace/base/status.h"

namespace millrace {

// A full or partial name; absent parts are not set. Types are in upper case.
struct DeviceName {
  std::optional<std::string> job;
  std::optional<int> replica;
  std::optional<int> task;
  std::optional<std::string> type;
  std::optional<int> index;

  // Parses a name. Returns INVALID_ARGUMENT "Malformed device specification
  // '...'". "" and "/" are the name without parts; "*" leaves a part unset;
  // parts come in any order, and the last of a kind wins. Job names: a letter,
  // then letters, digits, '_'.
  static StatusOr<DeviceName> Parse(absl::string_view name);

  bool empty() const { return !job && !replica && !task && !type && !index; }
  bool IsFull() const { return job && replica && task && type && index; }
  // Returns whether job, replica and task are equal.
  bool SameTask(const DeviceName& o) const {
    return job == o.job && replica == o.replica && task == o.task;
  }
  // Returns whether every part that is set here equals the full name's part.
  bool Matches(const DeviceName& full) const;
  // Returns `inner`'s parts, and the others from here, as nested device blocks
  // do.
  DeviceName OverriddenBy(const DeviceName& inner) const;
  // Returns the parts of both; INVALID_ARGUMENT if they contradict each other.
  // With `soft`, a contradiction in type or index drops type and index.
  StatusOr<DeviceName> Merge(const DeviceName& o, bool soft = false) const;

  std::string ToString() const;    // canonical, only the set parts
  std::string TaskString() const;  // "/job:j/replica:0/task:1"

  friend bool operator==(const DeviceName&, const DeviceName&) = default;
};

}  // namespace millrace
