// DatabaseRows: rows that are read one after the other.
#pragma once

#include "millrace/ops/data/dataset.h"
#include "millrace/ops/data/iterator_runtime.h"

namespace millrace::ops {

// For one thread at a time, which may block.
class DatabaseRows {
 public:
  virtual ~DatabaseRows() = default;
  // Reads the next row. Returns false at the end.
  virtual StatusOr<bool> Next(IteratorRuntime& runtime, Element* row) = 0;
};

}  // namespace millrace::ops
