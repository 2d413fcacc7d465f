// CsvFile: reads the records of one CSV file. Quoted fields may contain line
// ends.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "millrace/base/files/file.h"
#include "millrace/base/memory/memory_charge.h"
#include "millrace/checkpoint/records/byte_stream.h"
#include "millrace/ops/data/dataset.h"

namespace millrace::ops {

struct CsvFormat {
  FileCompression compression = FileCompression::kNone;
  bool header = false;
  char delimiter = ',';
  bool quotes = true;    // if true, "a,""b""" is the field a,"b"
  std::string na_value;  // stands for a missing field, as no text does
  // Columns that are selected, or left out of all; increasing, one is empty.
  std::vector<int64_t> columns, excluded;
  // The types of the selected fields, and their defaults. A field is required
  // if its default has no element.
  std::vector<DataType> types;
  std::vector<Tensor> defaults;
};

// For one thread, which may block.
class CsvFile {
 public:
  // `format` and `allocator` must outlive this.
  CsvFile(const CsvFormat& format, Allocator* allocator);

  // Called once, before anything else.
  Status Open(FileSystem* files, const std::string& path);
  // Passes over a record.
  Status SkipHeader();
  // Returns false at the end of the file. An error is that of one record, and
  // the next call goes on behind it, unless broken() is set.
  StatusOr<bool> Next(Element* out);
  // Returns whether the last call could not read the file itself.
  bool broken() const { return broken_; }

 private:
  // Reads a record; its fields are dropped if `out` is null.
  StatusOr<bool> ReadRecord(Element* out);
  // Read a field into field_. `*ended`: it was the last one of its record.
  Status ReadField(bool* ended);
  Status ReadPlain(bool* ended);
  Status ReadQuoted(bool* ended);
  Status EndRecord(char line_end, bool* ended);
  Status AppendToField(absl::string_view text);
  Status AddField(Element* out) const;
  // Returns whether part_ has a character at at_, after reading on if need be.
  StatusOr<bool> HasMore();

  const CsvFormat& format_;
  Allocator* const allocator_;
  // Characters that end a plain field, or must not be in it.
  std::array<bool, 256> stops_ = {};
  std::unique_ptr<RandomAccessFile> file_;
  std::unique_ptr<ByteStream> stream_;
  absl::string_view part_;  // of the stream
  size_t at_ = 0;           // position in part_
  std::string field_;
  MemoryCharge charge_;  // of field_, if it is long
  bool broken_ = false;
};

}  // namespace millrace::ops
