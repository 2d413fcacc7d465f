// Feature lists of sequence examples: rows of values.
#include <algorithm>
#include <cstring>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/ops/parse/sequence_messages.h"

namespace millrace::ops {
namespace {

// Calls f(feature, its number of values) for each row of a FeatureList. Returns
// INVALID_ARGUMENT if a row has another type or is malformed.
template <class F>
Status VisitRows(const SequenceMessages& messages, size_t message,
                 const FeatureColumn& column, absl::string_view list, F f) {
  int64_t rows = 0;
  for (FieldCursor in(list); !in.done(); ++rows) {
    uint32_t tag = 0;
    absl::string_view feature;
    FeatureView view;
    if (!in.Next(&tag, &feature) || tag != BytesTag(1)) {
      return InvalidArgument("Error in sequence feature ", column.key,
                             " in example ", messages.Name(message));
    }
    int64_t count = 0;
    if (!feature.empty()) {
      const bool fits = ReadFeature(feature, &view) && view.type == column.type;
      count = fits ? CountValues(view) : -1;
    }
    if (count < 0) {
      return messages.WrongType(message, "Feature list", column,
                                absl::StrCat(", Index: ", rows));
    }
    f(view, count);
  }
  return OkStatus();
}

// Writes one column at a time; `parts` are the messages' parts for it.
class ListWriter {
 public:
  ListWriter(KernelContext& ctx, const SequenceMessages& messages)
      : ctx_(ctx), messages_(messages) {}

  Status WriteSparse(const FeatureColumn& column,
                     const std::vector<MessagePart>& parts,
                     const ColumnOutputs& outputs) {
    int64_t total = 0, max_rows = 0, most = 0;
    MR_RETURN_IF_ERROR(
        VisitAll(column, parts,
                 [&](size_t, int64_t row, const FeatureView&, int64_t count) {
                   total += count;
                   most = std::max(most, count);
                   max_rows = std::max(max_rows, row + 1);
                 }));
    const int64_t rank = messages_.batched() ? 3 : 2;
    const int n = column.number;
    MR_ASSIGN_OR_RETURN(Tensor* const indices,
                        ctx_.AllocateOutput(outputs.sparse_indices + n,
                                            TensorShape({total, rank})));
    MR_ASSIGN_OR_RETURN(
        Tensor* const values,
        ctx_.AllocateOutput(outputs.sparse_values + n, TensorShape({total})));
    MR_ASSIGN_OR_RETURN(
        Tensor* const shape,
        ctx_.AllocateOutput(outputs.sparse_shapes + n, TensorShape({rank})));
    auto size = shape->mutable_flat<int64_t>();
    if (messages_.batched()) size[0] = messages_.count();
    size[static_cast<size_t>(rank - 2)] = max_rows;
    size[static_cast<size_t>(rank - 1)] = most;
    int64_t* place = indices->mutable_flat<int64_t>().data();
    char* const elements = values->mutable_data();
    int64_t at = 0;
    return VisitAll(
        column, parts,
        [&](size_t e, int64_t row, const FeatureView& feature, int64_t count) {
          for (int64_t i = 0; i < count; ++i) {
            if (messages_.batched()) *place++ = static_cast<int64_t>(e);
            *place++ = row;
            *place++ = i;
          }
          if (count > 0) CopyValues(feature, elements, at);
          at += count;
        });
  }

  Status WriteDense(const FeatureColumn& column,
                    const std::vector<MessagePart>& parts,
                    const ListOutputs& outputs, bool may_miss) {
    const int64_t width = column.dense->stride;
    const std::string row_shape = column.dense->shape.DebugString();
    int64_t most = 0, present = 0;
    CountedVector<int64_t> rows(parts.size(), 0), totals(parts.size(), 0);
    Status wrong;
    MR_RETURN_IF_ERROR(VisitAll(
        column, parts,
        [&](size_t e, int64_t row, const FeatureView&, int64_t count) {
          rows[e] = row + 1;
          totals[e] += count;
          present = std::max(present, totals[e]);
          most = std::max(most, row + 1);
          if (count != width && wrong.ok()) {
            wrong = InvalidArgument(
                "Name: ", messages_.Name(e), ", Key: ", column.key,
                ", Index: ", row,
                ".  Number of values != expected.  values size: ", count,
                " but output shape: ", row_shape);
          }
        }));
    if (width == 0 ? present != 0 : present % width != 0) {
      return InvalidArgument(
          "Feature list '", column.key,
          "' has an unexpected number of values.  Total values size: ", present,
          " is not consistent with output shape: ",
          PartialShape({kUnknownDim})
              .Concatenate(column.dense->shape)
              .DebugString());
    }
    for (size_t e = 0; e < parts.size(); ++e) {
      if (parts[e].present || may_miss) continue;
      return InvalidArgument(
          "Name: ", messages_.Name(e), ", Feature list '", column.key,
          "' is required but could not be found.  Did you mean to include it "
          "in feature_list_dense_missing_assumed_empty or "
          "feature_list_dense_defaults?");
    }
    MR_RETURN_IF_ERROR(wrong);
    DimVector dims;
    if (messages_.batched()) dims.push_back(messages_.count());
    dims.push_back(most);
    for (const int64_t d : column.dense->shape.dims()) dims.push_back(d);
    MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
    MR_ASSIGN_OR_RETURN(
        Tensor* const values,
        ctx_.AllocateOutput(outputs.columns.dense_values + column.number,
                            std::move(shape)));
    MR_ASSIGN_OR_RETURN(
        Tensor* const lengths,
        ctx_.AllocateOutput(outputs.dense_lengths + column.number,
                            messages_.batched()
                                ? TensorShape({messages_.count()})
                                : TensorShape()));
    std::copy(rows.begin(), rows.end(),
              lengths->mutable_flat<int64_t>().begin());
    char* const elements = values->mutable_data();
    // Strings are empty already.
    if (column.type != DataType::kString && values->size_bytes() > 0) {
      std::memset(elements, 0, values->size_bytes());
    }
    return VisitAll(
        column, parts,
        [&](size_t e, int64_t row, const FeatureView& feature, int64_t count) {
          const int64_t at = (static_cast<int64_t>(e) * most + row) * width;
          if (count > 0) CopyValues(feature, elements, at);
        });
  }

  Status WriteRagged(const FeatureColumn& column,
                     const std::vector<MessagePart>& parts,
                     const ListOutputs& outputs) {
    CountedVector<int64_t> inner = {0}, outer(parts.size() + 1, 0);
    MR_RETURN_IF_ERROR(
        VisitAll(column, parts,
                 [&](size_t e, int64_t, const FeatureView&, int64_t count) {
                   inner.push_back(inner.back() + count);
                   ++outer[e + 1];
                 }));
    for (size_t e = 0; e < parts.size(); ++e) outer[e + 1] += outer[e];
    const int n = column.number;
    MR_ASSIGN_OR_RETURN(Tensor* const values,
                        ctx_.AllocateOutput(outputs.columns.ragged_values + n,
                                            TensorShape({inner.back()})));
    MR_ASSIGN_OR_RETURN(
        Tensor* const inner_splits,
        ctx_.AllocateOutput(outputs.columns.ragged_splits + n,
                            TensorShape({static_cast<int64_t>(inner.size())})));
    MR_RETURN_IF_ERROR(SetSplits(inner, inner_splits));
    if (messages_.batched()) {
      MR_ASSIGN_OR_RETURN(
          Tensor* const outer_splits,
          ctx_.AllocateOutput(outputs.outer_splits + n,
                              TensorShape({messages_.count() + 1})));
      MR_RETURN_IF_ERROR(SetSplits(outer, outer_splits));
    } else {
      ctx_.set_output(outputs.outer_splits + n,
                      Tensor::Zeros(column.splits, TensorShape()));
    }
    char* const elements = values->mutable_data();
    int64_t at = 0;
    return VisitAll(
        column, parts,
        [&](size_t, int64_t, const FeatureView& feature, int64_t count) {
          if (count > 0) CopyValues(feature, elements, at);
          at += count;
        });
  }

 private:
  // Calls f(e, row, feature, count) for each example in turn.
  template <class F>
  Status VisitAll(const FeatureColumn& column,
                  const std::vector<MessagePart>& parts, F f) const {
    for (size_t e = 0; e < parts.size(); ++e) {
      MR_RETURN_IF_ERROR(ctx_.CheckCancelled());
      int64_t row = 0;
      MR_RETURN_IF_ERROR(
          VisitRows(messages_, e, column, parts[e].bytes,
                    [&](const FeatureView& feature, int64_t count) {
                      f(e, row++, feature, count);
                    }));
    }
    return OkStatus();
  }

  KernelContext& ctx_;
  const SequenceMessages& messages_;
};

}  // namespace

Status WriteLists(KernelContext& ctx, const SequenceMessages& messages,
                  const std::vector<FeatureColumn>& columns,
                  const ListOutputs& outputs,
                  const std::vector<bool>& may_miss) {
  ListWriter writer(ctx, messages);
  for (size_t i = 0; i < columns.size(); ++i) {
    const FeatureColumn& column = columns[i];
    switch (column.form) {
      case FeatureForm::kSparse:
        MR_RETURN_IF_ERROR(
            writer.WriteSparse(column, messages.list(i), outputs.columns));
        break;
      case FeatureForm::kDense:
        MR_RETURN_IF_ERROR(
            writer.WriteDense(column, messages.list(i), outputs,
                              may_miss[static_cast<size_t>(column.number)]));
        break;
      default:
        MR_RETURN_IF_ERROR(
            writer.WriteRagged(column, messages.list(i), outputs));
    }
  }
  return OkStatus();
}

}  // namespace millrace::ops
