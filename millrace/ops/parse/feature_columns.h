// Columns, from which parsers of examples make tensors: one for each requested
// feature, with a cell for each example.
#pragma once

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel.h"
#include "millrace/ops/parse/example_attrs.op.h"
#include "millrace/ops/parse/feature_wire.h"

namespace millrace::ops {

enum class FeatureForm : uint8_t { kSparse, kDense, kRagged };

struct FeatureColumn {
  FeatureForm form = FeatureForm::kSparse;
  std::string key;
  DataType type = DataType::kInvalid;
  const DenseSpec* dense = nullptr;  // of a dense column
  const Tensor* fallback = nullptr;  // its default; none if it has no elements
  DataType splits = DataType::kInvalid;  // of a ragged column
  int number = 0;                        // among those of its form
};

// Returns the columns of `specs`: sparse ones, dense, ragged. `keys` has the
// key of each, in that order; `fallbacks` has a tensor for each dense column,
// or is null.
std::vector<FeatureColumn> ColumnsOf(const FeatureSpecs& specs,
                                     std::vector<std::string> keys,
                                     const Tensor* const* fallbacks);

// Returns INVALID_ARGUMENT unless `value` can be the default of dense column
// `number`.
Status CheckFallback(const DenseSpec& spec, size_t number, const Tensor& value);

// The part of an example that belongs to a column.
struct FeatureCell {
  FeatureView feature;
  int64_t count = 0;  // of values
};

// The outputs of the columns: -1 for those that the op does not have.
struct ColumnOutputs {
  int sparse_indices = -1, sparse_values = -1, sparse_shapes = -1;
  int dense_values = -1;
  int ragged_values = -1, ragged_splits = -1;
};

// Writes columns to the outputs of a kernel. `cell(example)` returns a cell of
// the column; its count must be valid already. There is one example without a
// batch dimension, or `examples` of them with it.
class ColumnWriter {
 public:
  ColumnWriter(KernelContext& ctx, ColumnOutputs outputs, int64_t examples,
               bool batched)
      : ctx_(ctx), outputs_(outputs), examples_(examples), batched_(batched) {}

  using Cells = absl::FunctionRef<const FeatureCell&(int64_t example)>;

  // Returns INVALID_ARGUMENT for sizes that overflow, RESOURCE_EXHAUSTED if
  // memory runs out.
  Status Write(const FeatureColumn& column, Cells cell);

 private:
  Status WriteSparse(const FeatureColumn& column, Cells cell);
  Status WriteDense(const FeatureColumn& column, Cells cell);
  Status WriteVariable(const FeatureColumn& column, Cells cell);
  Status WriteRagged(const FeatureColumn& column, Cells cell);
  // Returns where each example's values begin, and their number at the end.
  CountedVector<int64_t> Offsets(Cells cell, int64_t* most) const;

  KernelContext& ctx_;
  const ColumnOutputs outputs_;
  const int64_t examples_;
  const bool batched_;
};

// Copies all elements of `from` to element `offset` of `to`, which has the same
// type.
void CopyElements(const Tensor& from, char* to, int64_t offset);
// Sets row splits of type int32 or int64. Returns INVALID_ARGUMENT if there are
// more values than int32 can count.
Status SetSplits(absl::Span<const int64_t> offsets, Tensor* splits);

}  // namespace millrace::ops
