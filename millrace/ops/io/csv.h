// Splits lines of comma-separated values into fields.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "millrace/base/status.h"

namespace millrace::ops {

struct CsvOptions {
  char delimiter = ',';
  bool quotes = true;            // if true, "a,""b""" is the field a,"b"
  std::vector<int64_t> columns;  // increasing; empty: all
};

// Splits one line after the other. Not thread-safe.
class CsvSplitter {
 public:
  // `options` must outlive this.
  explicit CsvSplitter(const CsvOptions& options);

  // Returns the selected fields, which are parts of `line`, or of this splitter
  // until the next call. Line ends between fields are skipped. Returns
  // INVALID_ARGUMENT for quotes and line ends where none are allowed.
  StatusOr<absl::Span<const absl::string_view>> Split(absl::string_view line);

 private:
  Status TakePlain(absl::string_view* rest, absl::string_view* field) const;
  Status TakeQuoted(absl::string_view line, absl::string_view* rest,
                    absl::string_view* field);

  const CsvOptions& options_;
  // Characters that end an unquoted field, or must not be in it.
  std::array<bool, 256> stops_ = {};
  std::vector<absl::string_view> fields_;
  std::string unescaped_;  // fields that contain quotes
};

}  // namespace millrace::ops
