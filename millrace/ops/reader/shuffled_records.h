// ShuffledRecords: the records of TFRecord files in random order, again and
// again.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "millrace/base/files/file.h"
#include "millrace/base/memory/memory_charge.h"
#include "millrace/base/random.h"
#include "millrace/checkpoint/records/record_reader.h"
#include "millrace/kernel/kernel_context.h"

namespace millrace::ops {

struct ShuffledRecordsOptions {
  std::string patterns;  // of names of files, separated by commas
  uint64_t seed = 301;
  double shift_ratio = 0;   // of the files that each further pass begins later
  size_t buffered = 10000;  // records, of which each is taken at random
  FileCompression compression = FileCompression::kNone;
};

// Gives each record once in a pass over the files, whose order is another in
// each pass. For one thread at a time, which may block.
class ShuffledRecords {
 public:
  explicit ShuffledRecords(ShuffledRecordsOptions options)
      : options_(std::move(options)), random_(options_.seed) {}

  // Takes the next record. Returns NOT_FOUND if there are no files,
  // FAILED_PRECONDITION if they have no records, DATA_LOSS if one is damaged,
  // or why the step was cancelled.
  Status Take(KernelContext& ctx, std::string* record);

 private:
  Status StartPass(FileSystem* files);
  // Reads records until the buffer is full or the pass has no more.
  Status Fill(KernelContext& ctx);
  // Reads a record of the pass. Returns false if there are no more.
  StatusOr<bool> Read(FileSystem* files, std::string* record);
  uint64_t Below(uint64_t n) {
    const Philox4x32::Result r = random_();
    return (uint64_t{r[0]} << 32 | r[1]) % n;
  }

  const ShuffledRecordsOptions options_;
  Philox4x32 random_;
  int64_t passes_ = 0;
  std::vector<std::string> names_;  // of the pass
  size_t next_name_ = 0;
  bool found_any_ = true;  // in this pass
  std::unique_ptr<RandomAccessFile> file_;
  std::unique_ptr<RecordReader> reader_;
  std::vector<std::string> buffer_;
  size_t buffer_bytes_ = 0;
  MemoryCharge charge_;  // of buffer_
};

}  // namespace millrace::ops
