// RecordList: what one read of a reader gives, keys and values one behind the
// other in one piece of memory.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace millrace::ops {

class RecordList {
 public:
  size_t size() const { return ends_.size() / 2; }
  bool empty() const { return ends_.empty(); }
  void Add(absl::string_view key, absl::string_view value) {
    for (const absl::string_view part : {key, value}) {
      bytes_.append(part.data(), part.size());
      ends_.push_back(bytes_.size());
    }
  }
  absl::string_view key(size_t i) const { return Part(2 * i); }
  absl::string_view value(size_t i) const { return Part(2 * i + 1); }

 private:
  absl::string_view Part(size_t i) const {
    const size_t begin = i == 0 ? 0 : ends_[i - 1];
    return absl::string_view(bytes_).substr(begin, ends_[i] - begin);
  }

  std::string bytes_;
  std::vector<size_t> ends_;  // of each key and value
};

}  // namespace millrace::ops
