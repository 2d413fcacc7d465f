// Fields of a line of comma separated values.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "millrace/base/status.h"

namespace millrace::ops {

struct CsvOptions {
  char delimiter = ',';
  bool quotes = true;            // "a,""b""" is the field a,"b"
  std::vector<int64_t> columns;  // increasing; empty: all
};

// The selected fields of `line`, in `fields` (reused; later ones are dropped).
// Line ends between fields are passed over. INVALID_ARGUMENT for quotes and
// line ends where there may be none.
Status SplitCsv(const CsvOptions& options, absl::string_view line,
                std::vector<std::string>* fields);

}  // namespace millrace::ops
