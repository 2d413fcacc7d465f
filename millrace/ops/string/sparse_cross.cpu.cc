// Kernel of SparseCross.
#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "millrace/base/memory/checked_size.h"
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/string/counted_text.h"
#include "millrace/ops/string/string_hash.h"

namespace millrace::ops {
namespace {

// Returns a hash of two hashes (TensorFlow's FingerprintCat64).
uint64_t JoinHashes(uint64_t a, uint64_t b) {
  constexpr uint64_t kFactor = 0xc6a4a7935bd1e995;
  const auto mix = [](uint64_t v) { return v ^ (v >> 47); };
  uint64_t hash = a ^ kFactor;
  hash ^= mix(b * kFactor) * kFactor;
  hash *= kFactor;
  return mix(mix(hash) * kFactor);
}

// The features of one input: those of a row lie side by side.
class FeatureColumn {
 public:
  // `rows` is the matrix of indices of a sparse input.
  FeatureColumn(const Tensor* rows, const Tensor* values)
      : rows_(rows), values_(values) {}
  // Of a dense input, which is a matrix.
  explicit FeatureColumn(const Tensor* values) : values_(values) {}

  bool is_sparse() const { return rows_ != nullptr; }
  // Passes over the entries of a sparse input before `row`. Returns the row of
  // the next one, or `none` if that is less. An entry whose row is behind that
  // of the entry before it ends the input, as in stock.
  int64_t PassTo(int64_t row, int64_t none) {
    for (; end_ < values_->dim(0); ++end_) {
      const int64_t own = RowOf(end_);
      if (own < passed_) return none;
      passed_ = own;
      if (own >= row) return std::min(own, none);
    }
    return none;
  }
  // Takes the features of a row, to which a sparse input has been passed.
  void Take(int64_t row) {
    if (!is_sparse()) {
      begin_ = row * values_->dim(1);
      end_ = begin_ + values_->dim(1);
      return;
    }
    begin_ = end_;
    while (end_ < values_->dim(0) && RowOf(end_) == row) ++end_;
  }
  int64_t count() const { return end_ - begin_; }

  Status AppendText(int64_t i, CountedText* text) const {
    const auto at = static_cast<size_t>(begin_ + i);
    if (values_->dtype() == DataType::kString) {
      return text->Append(values_->flat<StringElement>()[at].view());
    }
    return text->Append(absl::StrCat(values_->flat<int64_t>()[at]));
  }
  uint64_t Hash(int64_t i) const {
    const auto at = static_cast<size_t>(begin_ + i);
    return values_->dtype() == DataType::kString
               ? FarmFingerprint(values_->flat<StringElement>()[at].view())
               : static_cast<uint64_t>(values_->flat<int64_t>()[at]);
  }

 private:
  int64_t RowOf(int64_t entry) const {
    return rows_->flat<int64_t>()[static_cast<size_t>(2 * entry)];
  }

  const Tensor* rows_ = nullptr;
  const Tensor* values_;
  int64_t begin_ = 0, end_ = 0;  // of the row's features
  int64_t passed_ = 0;           // row
};

class SparseCrossKernel {
 public:
  static StatusOr<SparseCrossKernel> Make(const KernelInit& init) {
    SparseCrossKernel k;
    MR_ASSIGN_OR_RETURN(k.sparse_, init.Attr<int64_t>("N"));
    MR_ASSIGN_OR_RETURN(k.buckets_, init.Attr<int64_t>("num_buckets"));
    MR_ASSIGN_OR_RETURN(k.key_, init.Attr<int64_t>("hash_key"));
    MR_ASSIGN_OR_RETURN(k.internal_, init.Attr<DataType>("internal_type"));
    MR_ASSIGN_OR_RETURN(const auto types,
                        init.Attr<AttrValue::TypeList>("sparse_types"));
    k.values_ = static_cast<int64_t>(types.size());
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_RETURN_IF_ERROR(CheckSparse(ctx));
    MR_RETURN_IF_ERROR(CheckDense(ctx));
    const int first_dense = FirstDense();
    int64_t rows = 0;
    if (sparse_ > 0) {
      rows = ctx.input(FirstShape()).flat<int64_t>()[0];
    } else if (first_dense < ctx.num_inputs()) {
      rows = ctx.input(first_dense).dim(0);
    }
    MR_RETURN_IF_ERROR(CheckRows(ctx, rows));

    int64_t count = 0, widest = 0;
    MR_RETURN_IF_ERROR(ForRows(
        ctx, rows,
        [&](int64_t, const std::vector<FeatureColumn>& columns) -> Status {
          CheckedSize crosses = 1;
          for (const FeatureColumn& column : columns) crosses *= column.count();
          MR_ASSIGN_OR_RETURN(const int64_t n, crosses.Get("crosses"));
          MR_ASSIGN_OR_RETURN(count, (CheckedSize(count) + n).Get("crosses"));
          widest = std::max(widest, n);
          return OkStatus();
        }));
    MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make({count, 2}));
    MR_ASSIGN_OR_RETURN(Tensor* const indices,
                        ctx.AllocateOutput(0, std::move(shape)));
    MR_ASSIGN_OR_RETURN(Tensor* const values,
                        ctx.AllocateOutput(1, TensorShape({count})));
    MR_ASSIGN_OR_RETURN(Tensor* const out_shape,
                        ctx.AllocateOutput(2, TensorShape({2})));
    out_shape->mutable_flat<int64_t>()[0] = rows;
    out_shape->mutable_flat<int64_t>()[1] = widest;
    int64_t* places = indices->mutable_flat<int64_t>().data();
    int64_t at = 0;
    CountedText text(ctx);
    return ForRows(
        ctx, rows,
        [&](int64_t row, const std::vector<FeatureColumn>& columns) -> Status {
          std::vector<int64_t> choice(columns.size(), 0);
          int64_t n = 1;
          for (const FeatureColumn& column : columns) n *= column.count();
          for (int64_t i = 0; i < n; ++i, ++at) {
            if (i % 4096 == 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
            places[2 * at] = row;
            places[2 * at + 1] = i;
            MR_RETURN_IF_ERROR(WriteCross(columns, choice, at, values, &text));
            // The last input's features change first.
            for (size_t c = columns.size(); c > 0; --c) {
              if (++choice[c - 1] < columns[c - 1].count()) break;
              choice[c - 1] = 0;
            }
          }
          return OkStatus();
        });
  }

 private:
  int FirstShape() const { return static_cast<int>(sparse_ + values_); }
  int FirstDense() const { return static_cast<int>(2 * sparse_ + values_); }

  Status CheckInternal(const Tensor& t, absl::string_view what) const {
    if (internal_ != DataType::kString || t.dtype() == internal_) {
      return OkStatus();
    }
    return InvalidArgument(what, " should be of internal type ",
                           static_cast<int>(internal_), " but received ",
                           static_cast<int>(t.dtype()));
  }

  Status CheckSparse(KernelContext& ctx) const {
    const int n = static_cast<int>(sparse_);
    for (int i = 0; i < n; ++i) {
      const Tensor& indices = ctx.input(i);
      if (indices.rank() != 2) {
        return InvalidArgument(
            "Input indices should be a matrix but received shape ",
            indices.shape().DebugString(), " at position ", i);
      }
      if (indices.dim(1) != 2) {
        return InvalidArgument("Expected D2 of index to be 2 got ",
                               indices.dim(1), " at position ", i);
      }
    }
    if (values_ != sparse_) {
      return InvalidArgument("Expected ", sparse_, " input values, got ",
                             values_);
    }
    for (int i = 0; i < n; ++i) {
      const Tensor& values = ctx.input(n + i);
      if (values.rank() != 1) {
        return InvalidArgument(
            "Input values should be a vector but received shape ",
            values.shape().DebugString(), " at position ", i);
      }
      if (values.dim(0) != ctx.input(i).dim(0)) {
        return InvalidArgument("Expected size of values to be ",
                               ctx.input(i).dim(0), " got ", values.dim(0),
                               " at position ", i);
      }
      MR_RETURN_IF_ERROR(CheckInternal(values, "Input values"));
    }
    for (int i = 0; i < n; ++i) {
      const Tensor& shape = ctx.input(FirstShape() + i);
      if (shape.rank() != 1) {
        return InvalidArgument(
            "Input shapes should be a vector but received shape ",
            shape.shape().DebugString(), " at position ", i);
      }
      if (shape.dim(0) != 2) {
        return InvalidArgument("shape should imply a 2D tensor, but got ",
                               shape.shape().DebugString(), " at position ", i);
      }
    }
    return OkStatus();
  }

  Status CheckDense(KernelContext& ctx) const {
    for (int i = FirstDense(); i < ctx.num_inputs(); ++i) {
      const Tensor& dense = ctx.input(i);
      if (dense.rank() != 2) {
        return InvalidArgument(
            "Dense inputs should be a matrix but received shape ",
            dense.shape().DebugString(), " at position ", i - FirstDense());
      }
      MR_RETURN_IF_ERROR(CheckInternal(dense, "Dense inputs"));
    }
    return OkStatus();
  }

  Status CheckRows(KernelContext& ctx, int64_t rows) const {
    for (int i = 0; i < static_cast<int>(sparse_); ++i) {
      const int64_t own = ctx.input(FirstShape() + i).flat<int64_t>()[0];
      if (own != rows) {
        return InvalidArgument("Expected batch size ", rows, " got ", own,
                               " at position ", i);
      }
    }
    for (int i = FirstDense(); i < ctx.num_inputs(); ++i) {
      if (ctx.input(i).dim(0) != rows) {
        return InvalidArgument("Expected batch size ", rows, " got ",
                               ctx.input(i).dim(0), " at dense tensor ",
                               i - FirstDense());
      }
    }
    return OkStatus();
  }

  // Calls f(row, columns) for each row in which every column has a feature.
  // Rows without entries of sparse inputs are passed over at once, since there
  // may be any number of them.
  template <class F>
  Status ForRows(KernelContext& ctx, int64_t rows, F f) const {
    std::vector<FeatureColumn> columns;
    for (int i = 0; i < static_cast<int>(sparse_); ++i) {
      columns.emplace_back(&ctx.input(i),
                           &ctx.input(static_cast<int>(sparse_) + i));
    }
    for (int i = FirstDense(); i < ctx.num_inputs(); ++i) {
      if (ctx.input(i).dim(1) == 0) return OkStatus();
      columns.emplace_back(&ctx.input(i));
    }
    if (columns.empty()) return OkStatus();
    for (int64_t row = 0; row < rows; ++row) {
      if (row % 4096 == 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
      // To the next row in which all sparse inputs have an entry.
      for (bool moved = true; moved;) {
        moved = false;
        for (FeatureColumn& column : columns) {
          if (!column.is_sparse()) continue;
          const int64_t next = column.PassTo(row, rows);
          moved = moved || next > row;
          row = std::max(row, next);
        }
      }
      if (row >= rows) return OkStatus();
      for (FeatureColumn& column : columns) column.Take(row);
      MR_RETURN_IF_ERROR(f(row, columns));
    }
    return OkStatus();
  }

  // `text` is scratch memory.
  Status WriteCross(const std::vector<FeatureColumn>& columns,
                    absl::Span<const int64_t> choice, int64_t at,
                    Tensor* values, CountedText* text) const {
    if (values->dtype() == DataType::kString) {
      text->Clear();
      for (size_t c = 0; c < columns.size(); ++c) {
        if (c > 0) MR_RETURN_IF_ERROR(text->Append("_X_"));
        MR_RETURN_IF_ERROR(columns[c].AppendText(choice[c], text));
      }
      values->mutable_flat<StringElement>()[static_cast<size_t>(at)].Assign(
          text->view());
      return OkStatus();
    }
    auto hash = static_cast<uint64_t>(key_);
    for (size_t c = 0; c < columns.size(); ++c) {
      hash = JoinHashes(hash, columns[c].Hash(choice[c]));
    }
    const auto most = static_cast<uint64_t>(
        buckets_ > 0 ? buckets_ : std::numeric_limits<int64_t>::max());
    values->mutable_flat<int64_t>()[static_cast<size_t>(at)] =
        static_cast<int64_t>(hash % most);
    return OkStatus();
  }

  int64_t sparse_ = 0, values_ = 0, buckets_ = 0, key_ = 0;
  DataType internal_ = DataType::kString;
};

}  // namespace

MR_KERNELS(SparseCross, Cpu){{.make = MakeKernel<SparseCrossKernel>}};

}  // namespace millrace::ops
