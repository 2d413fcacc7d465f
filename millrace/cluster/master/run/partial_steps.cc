#include "millrace/cluster/master/run/partial_steps.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "millrace/cluster/master/run/partial_step.h"

namespace millrace {

PartialSteps::PartialSteps() = default;
PartialSteps::~PartialSteps() = default;

bool PartialSteps::Add(const Ref<PartialStep>& step) {
  MutexLock lock(mu_);
  if (closed_ || steps_.size() >= PartialStep::kMaxPerSession) return false;
  step->handle_ = absl::StrCat(next_++);
  steps_[step->handle_] = step;
  return true;
}

Ref<PartialStep> PartialSteps::Find(const std::string& handle) {
  MutexLock lock(mu_);
  const auto found = steps_.find(handle);
  return found == steps_.end() ? nullptr : found->second;
}

std::vector<Ref<PartialStep>> PartialSteps::All() {
  std::vector<Ref<PartialStep>> all;
  MutexLock lock(mu_);
  for (const auto& [handle, step] : steps_) all.push_back(step);
  return all;
}

void PartialSteps::Remove(const std::string& handle) {
  Ref<PartialStep> removed;  // released after the lock
  MutexLock lock(mu_);
  const auto found = steps_.find(handle);
  if (found == steps_.end()) return;
  removed = std::move(found->second);
  steps_.erase(found);
}

void PartialSteps::Close() {
  absl::btree_map<std::string, Ref<PartialStep>> all;
  MutexLock lock(mu_);
  closed_ = true;
  all.swap(steps_);
}

}  // namespace millrace
