// Fills static tables from the lines of a text file.
#pragma once

#include <string>

#include "millrace/kernel/kernel.h"
#include "millrace/ops/lookup/static_table.h"

namespace millrace::ops {

// Which part of a line is its key, and which its value: a field, counted from
// 0, or one of the two constants.
struct VocabularyFormat {
  static constexpr int64_t kLineNumber = -1;  // from 0; `offset` is added
  static constexpr int64_t kWholeLine = -2;

  int64_t key_index = 0, value_index = 0;
  int64_t lines = -1;  // number of lines to read; -1: all
  char delimiter = '\t';
  int64_t offset = 0;  // also added to int32 numbers, as in stock

  static StatusOr<VocabularyFormat> From(const KernelInit& init);
};

// Fills `table` from `file`. Must run on the blocking pool. A table that is
// already initialized stays as it is, if the file has a first line. Returns
// INVALID_ARGUMENT for types and lines that do not fit, OUT_OF_RANGE for a file
// without lines.
Status InitializeFromFile(KernelContext& ctx, const VocabularyFormat& format,
                          const std::string& file, StaticTable& table);

}  // namespace millrace::ops
