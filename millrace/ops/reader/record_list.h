// RecordList: the records of one read of a reader. Keys and values are
// contiguous in memory, which is charged to the memory budget.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "millrace/base/memory/counted_table.h"

namespace millrace::ops {

class RecordList {
 public:
  size_t size() const { return ends_->size() / 2; }
  bool empty() const { return ends_->empty(); }
  // Returns RESOURCE_EXHAUSTED, having added nothing, if the memory budget has
  // no room.
  Status Add(absl::string_view key, absl::string_view value) {
    MR_RETURN_IF_ERROR(bytes_.MakeRoom(key.size() + value.size()));
    MR_RETURN_IF_ERROR(ends_.MakeRoom(2));
    for (const absl::string_view part : {key, value}) {
      bytes_->append(part.data(), part.size());
      ends_->push_back(bytes_->size());
    }
    return OkStatus();
  }
  absl::string_view key(size_t i) const { return Part(2 * i); }
  absl::string_view value(size_t i) const { return Part(2 * i + 1); }

 private:
  absl::string_view Part(size_t i) const {
    const size_t begin = i == 0 ? 0 : (*ends_)[i - 1];
    return absl::string_view(*bytes_).substr(begin, (*ends_)[i] - begin);
  }

  CountedTable<std::string> bytes_{"the records of a read"};
  // The end of each key and value.
  CountedTable<std::vector<size_t>> ends_{"the records of a read"};
};

}  // namespace millrace::ops
