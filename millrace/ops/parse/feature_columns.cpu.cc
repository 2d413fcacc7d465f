#include "millrace/ops/parse/feature_columns.h"

#include <algorithm>
#include <limits>

#include "millrace/base/memory/counted_vector.h"

namespace millrace::ops {
namespace {

// The approximate time to copy a value.
constexpr int64_t kNanosPerValue = 2;

int64_t CostPerExample(int64_t values, int64_t examples) {
  return kNanosPerValue * (values / std::max<int64_t>(examples, 1) + 8);
}

}  // namespace

std::vector<FeatureColumn> ColumnsOf(const FeatureSpecs& specs,
                                     std::vector<std::string> keys,
                                     const Tensor* const* fallbacks) {
  std::vector<FeatureColumn> columns(specs.sparse.size() + specs.dense.size() +
                                     specs.ragged.size());
  for (size_t i = 0; i < columns.size(); ++i) {
    FeatureColumn& column = columns[i];
    column.key = std::move(keys[i]);
    size_t n = i;
    if (n < specs.sparse.size()) {
      column.form = FeatureForm::kSparse;
      column.type = specs.sparse[n];
    } else if ((n -= specs.sparse.size()) < specs.dense.size()) {
      column.form = FeatureForm::kDense;
      column.type = specs.dense[n].type;
      column.dense = &specs.dense[n];
      if (fallbacks != nullptr) column.fallback = fallbacks[n];
    } else {
      n -= specs.dense.size();
      column.form = FeatureForm::kRagged;
      column.type = specs.ragged[n];
      column.splits = specs.splits[n];
    }
    column.number = static_cast<int>(n);
  }
  return columns;
}

Status CheckFallback(const DenseSpec& spec, size_t number,
                     const Tensor& value) {
  if (spec.variable) {
    if (value.num_elements() != 1) {
      return InvalidArgument(
          "dense_shape[", number,
          "] is a variable length shape: ", spec.shape.DebugString(),
          ", therefore def_value[", number,
          "] must contain a single element (the padding element).  But its "
          "shape is: ",
          value.shape().DebugString());
    }
  } else if (value.num_elements() > 0 &&
             !spec.shape.IsCompatibleWith(PartialShape(value.shape()))) {
    return InvalidArgument("def_value[", number,
                           "].shape() == ", value.shape().DebugString(),
                           " is not compatible with dense_shapes_[", number,
                           "] == ", spec.shape.DebugString());
  }
  return OkStatus();
}

void CopyElements(const Tensor& from, char* to, int64_t offset) {
  if (from.dtype() == DataType::kString) {
    auto* element = reinterpret_cast<StringElement*>(to) + offset;
    for (const StringElement& e : from.flat<StringElement>()) *element++ = e;
  } else if (from.size_bytes() > 0) {
    std::memcpy(to + static_cast<size_t>(offset) * SizeOf(from.dtype()),
                from.data(), from.size_bytes());
  }
}

Status SetSplits(absl::Span<const int64_t> offsets, Tensor* splits) {
  if (splits->dtype() == DataType::kInt64) {
    std::copy(offsets.begin(), offsets.end(),
              splits->mutable_flat<int64_t>().begin());
    return OkStatus();
  }
  if (offsets.back() > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("row splits of type int32 cannot count ",
                           offsets.back(), " values");
  }
  auto to = splits->mutable_flat<int32_t>();
  for (size_t i = 0; i < offsets.size(); ++i) {
    to[i] = static_cast<int32_t>(offsets[i]);
  }
  return OkStatus();
}

CountedVector<int64_t> ColumnWriter::Offsets(Cells cell, int64_t* most) const {
  CountedVector<int64_t> offsets(static_cast<size_t>(examples_) + 1, 0);
  *most = 0;
  for (int64_t e = 0; e < examples_; ++e) {
    const int64_t count = cell(e).count;
    *most = std::max(*most, count);
    offsets[static_cast<size_t>(e) + 1] =
        offsets[static_cast<size_t>(e)] + count;
  }
  return offsets;
}

Status ColumnWriter::Write(const FeatureColumn& column, Cells cell) {
  switch (column.form) {
    case FeatureForm::kSparse:
      return WriteSparse(column, cell);
    case FeatureForm::kDense:
      return column.dense->variable ? WriteVariable(column, cell)
                                    : WriteDense(column, cell);
    default:
      return WriteRagged(column, cell);
  }
}

Status ColumnWriter::WriteSparse(const FeatureColumn& column, Cells cell) {
  int64_t most = 0;
  const CountedVector<int64_t> offsets = Offsets(cell, &most);
  const int64_t total = offsets.back();
  const int64_t rank = batched_ ? 2 : 1;
  const int n = column.number;
  MR_ASSIGN_OR_RETURN(Tensor* const indices,
                      ctx_.AllocateOutput(outputs_.sparse_indices + n,
                                          TensorShape({total, rank})));
  MR_ASSIGN_OR_RETURN(
      Tensor* const values,
      ctx_.AllocateOutput(outputs_.sparse_values + n, TensorShape({total})));
  MR_ASSIGN_OR_RETURN(
      Tensor* const shape,
      ctx_.AllocateOutput(outputs_.sparse_shapes + n, TensorShape({rank})));
  auto size = shape->mutable_flat<int64_t>();
  if (batched_) size[0] = examples_;
  size[static_cast<size_t>(rank - 1)] = most;
  int64_t* const places = indices->mutable_flat<int64_t>().data();
  char* const elements = values->mutable_data();
  return ctx_.ParallelFor(examples_, CostPerExample(total, examples_),
                          [&](int64_t begin, int64_t end) {
                            for (int64_t e = begin; e < end; ++e) {
                              const FeatureCell& c = cell(e);
                              const int64_t at =
                                  offsets[static_cast<size_t>(e)];
                              int64_t* place = places + at * rank;
                              for (int64_t i = 0; i < c.count; ++i) {
                                if (batched_) *place++ = e;
                                *place++ = i;
                              }
                              if (c.count > 0)
                                CopyValues(c.feature, elements, at);
                            }
                          });
}

Status ColumnWriter::WriteDense(const FeatureColumn& column, Cells cell) {
  DimVector dims;
  if (batched_) dims.push_back(examples_);
  for (const int64_t d : column.dense->shape.dims()) dims.push_back(d);
  MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  MR_ASSIGN_OR_RETURN(Tensor* const out,
                      ctx_.AllocateOutput(outputs_.dense_values + column.number,
                                          std::move(shape)));
  char* const elements = out->mutable_data();
  const int64_t width = column.dense->stride;
  return ctx_.ParallelFor(
      examples_, CostPerExample(width, 1), [&](int64_t begin, int64_t end) {
        for (int64_t e = begin; e < end; ++e) {
          const FeatureCell& c = cell(e);
          if (c.feature.type == DataType::kInvalid) {
            CopyElements(*column.fallback, elements, e * width);
          } else {
            CopyValues(c.feature, elements, e * width);
          }
        }
      });
}

Status ColumnWriter::WriteVariable(const FeatureColumn& column, Cells cell) {
  int64_t most = 0;
  for (int64_t e = 0; e < examples_; ++e) {
    most = std::max(most, cell(e).count);
  }
  DimVector dims;
  if (batched_) dims.push_back(examples_);
  dims.push_back(column.dense->stride > 0 ? most / column.dense->stride : 0);
  for (int d = 1; d < column.dense->shape.rank(); ++d) {
    dims.push_back(column.dense->shape.dim(d));
  }
  MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  MR_ASSIGN_OR_RETURN(Tensor* const out,
                      ctx_.AllocateOutput(outputs_.dense_values + column.number,
                                          std::move(shape)));
  char* const elements = out->mutable_data();
  return ctx_.ParallelFor(
      examples_, CostPerExample(most, 1), [&](int64_t begin, int64_t end) {
        for (int64_t e = begin; e < end; ++e) {
          const FeatureCell& c = cell(e);
          if (c.count > 0) CopyValues(c.feature, elements, e * most);
          // A default of variable size has one element, the padding.
          for (int64_t i = c.count; i < most; ++i) {
            CopyElements(*column.fallback, elements, e * most + i);
          }
        }
      });
}

Status ColumnWriter::WriteRagged(const FeatureColumn& column, Cells cell) {
  int64_t most = 0;
  const CountedVector<int64_t> offsets = Offsets(cell, &most);
  MR_ASSIGN_OR_RETURN(
      Tensor* const values,
      ctx_.AllocateOutput(outputs_.ragged_values + column.number,
                          TensorShape({offsets.back()})));
  // A single example has no splits.
  const int64_t num_splits = batched_ ? examples_ + 1 : 0;
  MR_ASSIGN_OR_RETURN(
      Tensor* const splits,
      ctx_.AllocateOutput(outputs_.ragged_splits + column.number,
                          TensorShape({num_splits})));
  if (batched_) MR_RETURN_IF_ERROR(SetSplits(offsets, splits));
  char* const elements = values->mutable_data();
  return ctx_.ParallelFor(examples_, CostPerExample(offsets.back(), examples_),
                          [&](int64_t begin, int64_t end) {
                            for (int64_t e = begin; e < end; ++e) {
                              const FeatureCell& c = cell(e);
                              if (c.count == 0) continue;
                              CopyValues(c.feature, elements,
                                         offsets[static_cast<size_t>(e)]);
                            }
                          });
}

}  // namespace millrace::ops
