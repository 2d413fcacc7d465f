// Context features of sequence examples: one for each message.
#include <algorithm>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/ops/parse/sequence_messages.h"

namespace millrace::ops {
namespace {

Status CountContext(const SequenceMessages& messages,
                    const FeatureColumn& column,
                    const std::vector<MessagePart>& parts,
                    CountedVector<FeatureCell>* cells) {
  const bool dense = column.form == FeatureForm::kDense;
  int64_t most = dense ? column.fallback->num_elements() : 0;
  for (size_t e = 0; e < parts.size(); ++e) {
    FeatureCell& cell = (*cells)[e];
    if (parts[e].bytes.empty()) continue;
    const bool fits = ReadFeature(parts[e].bytes, &cell.feature) &&
                      cell.feature.type == column.type;
    cell.count = fits ? CountValues(cell.feature) : -1;
    if (cell.count < 0) {
      return messages.WrongType(e, "Context feature", column, "");
    }
    most = std::max(most, cell.count);
  }
  if (!dense) return OkStatus();
  const int64_t wanted = column.dense->stride;
  if (most != wanted) {
    return InvalidArgument("Inconsistent max number of elements for feature ",
                           column.key, ": expected ", wanted, ", but found ",
                           most);
  }
  for (size_t e = 0; e < parts.size(); ++e) {
    if (!parts[e].present) {
      if (column.fallback->num_elements() == 0) {
        return InvalidArgument("Feature: ", column.key,
                               " (data type: ", DataTypeName(column.type), ")",
                               " is required but could not be found.");
      }
    } else if ((*cells)[e].count != wanted) {
      return InvalidArgument("Unexpected number of elements in example ",
                             messages.Name(e));
    }
  }
  return OkStatus();
}

}  // namespace

Status WriteContext(KernelContext& ctx, const SequenceMessages& messages,
                    const std::vector<FeatureColumn>& columns,
                    ColumnOutputs outputs) {
  ColumnWriter writer(ctx, outputs, messages.count(), messages.batched());
  CountedVector<FeatureCell> cells(static_cast<size_t>(messages.count()));
  for (size_t i = 0; i < columns.size(); ++i) {
    std::fill(cells.begin(), cells.end(), FeatureCell());
    MR_RETURN_IF_ERROR(
        CountContext(messages, columns[i], messages.context(i), &cells));
    MR_RETURN_IF_ERROR(
        writer.Write(columns[i], [&](int64_t e) -> const FeatureCell& {
          return cells[static_cast<size_t>(e)];
        }));
    if (columns[i].form == FeatureForm::kRagged && !messages.batched()) {
      // The splits are a scalar without meaning, as in stock.
      ctx.set_output(outputs.ragged_splits + columns[i].number,
                     Tensor::Zeros(columns[i].splits, TensorShape()));
    }
  }
  return OkStatus();
}

}  // namespace millrace::ops
