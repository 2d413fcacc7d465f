// Device names: "/job:worker/replica:0/task:1/device:CPU:0", parts of them,
// and the short forms "/cpu:0" and "/gpu:1".
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "millrace/base/status.h"

namespace millrace {

// A full or partial name; absent parts are not set. Types are upper case.
struct DeviceName {
  std::optional<std::string> job;
  std::optional<int> replica;
  std::optional<int> task;
  std::optional<std::string> type;
  std::optional<int> index;

  // INVALID_ARGUMENT "Malformed device specification '...'". "" and "/" are the
  // name without parts; "*" leaves a part unset; parts come in any order, and
  // the last of a kind wins. Job names: a letter, then letters, digits, '_'.
  static StatusOr<DeviceName> Parse(absl::string_view name);

  bool empty() const { return !job && !replica && !task && !type && !index; }
  bool IsFull() const { return job && replica && task && type && index; }
  // Same job, replica and task.
  bool SameTask(const DeviceName& o) const {
    return job == o.job && replica == o.replica && task == o.task;
  }
  // Every part set here equals the full name's.
  bool Matches(const DeviceName& full) const;
  // `inner`'s parts win, the others come from here: nested device blocks.
  DeviceName OverriddenBy(const DeviceName& inner) const;
  // What both ask together; INVALID_ARGUMENT if they contradict. With `soft`,
  // a contradiction in type or index drops type and index.
  StatusOr<DeviceName> Merge(const DeviceName& o, bool soft = false) const;

  std::string ToString() const;    // canonical, only the set parts
  std::string TaskString() const;  // "/job:j/replica:0/task:1"

  friend bool operator==(const DeviceName&, const DeviceName&) = default;
};

}  // namespace millrace
