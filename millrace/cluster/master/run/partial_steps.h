// PartialSteps: the partial runs of a session, by handle.
#pragma once

#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "millrace/base/memory/ref.h"
#include "millrace/base/threads/thread.h"

namespace millrace {

class PartialStep;

// Thread-safe.
class PartialSteps {
 public:
  PartialSteps();
  ~PartialSteps();

  // Assigns the step a handle. Returns false if there are too many, or the
  // session has ended.
  bool Add(const Ref<PartialStep>& step);
  Ref<PartialStep> Find(const std::string& handle);  // null if there is none
  std::vector<Ref<PartialStep>> All();               // by handle
  void Remove(const std::string& handle);
  // Drops all steps, and takes no more.
  void Close();

 private:
  Mutex mu_;  // guards all below
  bool closed_ = false;
  int64_t next_ = 0;
  absl::btree_map<std::string, Ref<PartialStep>> steps_;
};

}  // namespace millrace
