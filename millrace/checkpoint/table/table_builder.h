// TableBuilder: writes a sorted table (table_format.h).
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "millrace/base/files/file.h"
#include "millrace/base/status.h"
#include "millrace/checkpoint/table/table_block.h"
#include "millrace/checkpoint/table/table_format.h"

namespace millrace {

struct TableOptions {
  size_t block_bytes = 262144;  // a data block ends once it has this many
  int restart_interval = 16;
};

// Not thread-safe. The first error is sticky.
class TableBuilder {
 public:
  // Appends to `file`, which must be empty and outlive the builder.
  explicit TableBuilder(WritableFile* file, TableOptions options = {});

  // Adds an entry. Returns FAILED_PRECONDITION unless keys ascend.
  Status Add(absl::string_view key, absl::string_view value);
  // Writes the rest of the table. Neither syncs nor closes the file.
  Status Finish();

  // Returns the bytes written so far; after Finish() the size of the file.
  uint64_t size_bytes() const { return offset_; }

 private:
  Status FlushData();
  StatusOr<BlockHandle> WriteBlock(absl::string_view block);

  WritableFile* const file_;
  const TableOptions options_;
  Status status_;
  uint64_t offset_ = 0;
  bool any_ = false;
  std::string last_key_;
  BlockBuilder data_;
  BlockBuilder index_;
  // Whether a finished data block is missing from the index until the next key
  // is known.
  bool pending_ = false;
  BlockHandle pending_handle_;
};

}  // namespace millrace
