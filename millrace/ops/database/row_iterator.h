// RowIterator: the iterator of a data set whose rows are read on the blocking
// pool.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "millrace/ops/data/blocking_call.h"
#include "millrace/ops/database/database_rows.h"

namespace millrace::ops {

class RowIterator final : public DatasetIterator {
 public:
  explicit RowIterator(std::unique_ptr<DatabaseRows> source)
      : read_(std::make_shared<Read>()) {
    read_->source = std::move(source);
  }

  StatusOr<Pull> Next(PollContext& ctx, Element* out) override;
  // Saves how many rows were returned; a restored iterator passes over them.
  Status Save(StateWriter& out, const std::string& prefix) override;
  Status Restore(StateReader& in, const std::string& prefix) override;

 private:
  // Belongs to the thread that reads while a call is in progress.
  struct Read {
    std::unique_ptr<DatabaseRows> source;
    int64_t pass_over = 0;
    std::vector<Element> rows;
    Status status;  // of the row behind these
    bool at_end = false;

    // Reads some rows.
    void Run(IteratorRuntime& runtime);
  };

  const std::shared_ptr<Read> read_;
  BlockingCall call_;
  std::vector<Element> rows_;
  size_t next_ = 0;
  Status error_;
  bool at_end_ = false;
  int64_t taken_ = 0;
};

}  // namespace millrace::ops
