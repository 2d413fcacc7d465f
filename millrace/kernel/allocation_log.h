// AllocationLog: the memory that one run of a kernel takes, for traces.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace millrace {

// Not thread-safe.
class AllocationLog {
 public:
  struct Entry {
    int64_t nanos = 0;  // of NowNanos()
    int64_t bytes = 0;
    uintptr_t address = 0;   // 0: the few bytes have no buffer
    bool is_output = false;  // otherwise it is freed when the kernel ends
  };

  void Add(const Entry& entry) { entries_.push_back(entry); }
  std::vector<Entry> Take() { return std::move(entries_); }

 private:
  std::vector<Entry> entries_;
};

}  // namespace millrace
