#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "millrace/checkpoint/checkpoint_reader.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/io/blocking.h"

namespace millrace::ops {
namespace {

// Pairs (old, new) of the numbers of rows that the checkpoint has, by the old
// ones.
using RowPairs = std::vector<std::pair<int64_t, int64_t>>;

// Checks that no old number has two new ones.
Status CheckOnce(absl::Span<const int64_t> old_of_new) {
  absl::flat_hash_map<int64_t, int64_t> seen;
  for (size_t i = 0; i < old_of_new.size(); ++i) {
    if (old_of_new[i] < 0) continue;
    const auto [it, is_first] =
        seen.try_emplace(old_of_new[i], static_cast<int64_t>(i));
    if (is_first) continue;
    return Unimplemented("Old ID ", old_of_new[i], " is mapped to both new ID ",
                         it->second, " and ", i, ", which is not supported.");
  }
  return OkStatus();
}

StatusOr<std::string> OneText(const Tensor& t, const char* what) {
  if (t.num_elements() != 1) {
    return InvalidArgument(what, " should be a single string, but got ",
                           t.shape().DebugString());
  }
  return t.flat<StringElement>()[0].str();
}

class RemapMatrixKernel {
 public:
  static StatusOr<RemapMatrixKernel> Make(const KernelInit& init) {
    RemapMatrixKernel k;
    MR_ASSIGN_OR_RETURN(k.rows_, init.Attr<int64_t>("num_rows"));
    MR_ASSIGN_OR_RETURN(k.columns_, init.Attr<int64_t>("num_cols"));
    MR_ASSIGN_OR_RETURN(k.rows_at_once_,
                        init.Attr<int64_t>("max_rows_in_memory"));
    return k;
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    RunBlocking(ctx, std::move(done), [this, &ctx]() { return Load(ctx); });
  }

 private:
  Status Load(KernelContext& ctx) const {
    MR_RETURN_IF_ERROR(CheckRemappings(ctx));
    MR_ASSIGN_OR_RETURN(const std::string path,
                        OneText(ctx.input(0), "ckpt_path"));
    MR_ASSIGN_OR_RETURN(const std::string name,
                        OneText(ctx.input(1), "old_tensor_name"));
    MR_ASSIGN_OR_RETURN(const auto reader,
                        CheckpointReader::Open(ctx.step().files, path, [&ctx] {
                          return ctx.CheckCancelled();
                        }));
    MR_ASSIGN_OR_RETURN(const BundleEntry entry, reader->Find(name));
    MR_RETURN_IF_ERROR(CheckMatrix(ctx, name, entry));
    const DimVector dims = {rows_, columns_};
    MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, std::move(shape)));
    if (rows_ == 0) return OkStatus();
    float* const to = out->mutable_flat<float>().data();
    MR_RETURN_IF_ERROR(CopyOld(ctx, *reader, name, to));
    return FillNew(ctx, to);
  }

  Status CheckRemappings(KernelContext& ctx) const {
    const Tensor& rows = ctx.input(2);
    const Tensor& columns = ctx.input(3);
    for (const auto& [t, what] : {std::pair(&rows, "`row_remapping`"),
                                  std::pair(&columns, "`col_remapping`")}) {
      if (t->rank() == 1) continue;
      return InvalidArgument("The ", what,
                             " tensor must be 1-D, got a tensor of shape ",
                             t->shape().DebugString());
    }
    if (rows.dim(0) != rows_) {
      return InvalidArgument("Size of row_remapping is ", rows.dim(0),
                             " instead of being equal to num_rows=", rows_);
    }
    MR_RETURN_IF_ERROR(CheckOnce(rows.flat<int64_t>()));
    if (columns.dim(0) == 0) return OkStatus();
    if (columns.dim(0) != columns_) {
      return InvalidArgument("Provided col_remapping, but its size is ",
                             columns.dim(0),
                             " instead of being equal to num_cols=", columns_);
    }
    return CheckOnce(columns.flat<int64_t>());
  }

  // Checks that the tensor is a matrix that has what the remappings name.
  Status CheckMatrix(KernelContext& ctx, const std::string& name,
                     const BundleEntry& entry) const {
    const TensorShape& shape = entry.shape;
    if (entry.dtype != DataType::kFloat) {
      return InvalidArgument("Tensor ", name, " has invalid type ",
                             DataTypeName(entry.dtype),
                             " instead of expected type float");
    }
    if (shape.rank() != 2) {
      return InvalidArgument("Tensor ", name, " has shape ",
                             shape.DebugString(), " of invalid rank ",
                             shape.rank(),
                             " instead of expected shape of rank 2.");
    }
    const auto columns = ctx.input(3).flat<int64_t>();
    if (columns.empty() && shape.dim(1) != columns_) {
      return InvalidArgument(
          "Tensor ", name, " has shape ", shape.DebugString(),
          ", where the size of its 2nd dimension is ", shape.dim(1),
          " instead of being equal to num_cols=", columns_);
    }
    for (const int64_t row : ctx.input(2).flat<int64_t>()) {
      if (row < shape.dim(0)) continue;
      return Internal("Extent in dimension 0 out of bounds: shape = ",
                      shape.DebugString(), ", slice = ", row, ",1:-");
    }
    for (const int64_t column : columns) {
      if (column < shape.dim(1)) continue;
      return Internal("Extent in dimension 1 out of bounds: shape = ",
                      shape.DebugString(), ", slice = -:", column, ",1");
    }
    return OkStatus();
  }

  // Copies what the checkpoint has, some of its rows at a time.
  Status CopyOld(KernelContext& ctx, const CheckpointReader& reader,
                 const std::string& name, float* to) const {
    RowPairs pairs;
    const auto rows = ctx.input(2).flat<int64_t>();
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] >= 0) pairs.emplace_back(rows[i], static_cast<int64_t>(i));
    }
    std::sort(pairs.begin(), pairs.end());
    for (size_t begin = 0; begin < pairs.size();) {
      MR_RETURN_IF_ERROR(ctx.CheckCancelled());
      const int64_t first = pairs[begin].first;
      size_t end = begin + 1;
      while (end < pairs.size() &&
             (rows_at_once_ <= 0 || pairs[end].first - first < rows_at_once_)) {
        ++end;
      }
      std::vector<TensorSlice::Extent> extents(2);
      extents[0] = {first, pairs[end - 1].first - first + 1};
      MR_ASSIGN_OR_RETURN(const TensorSlice slice,
                          TensorSlice::Make(std::move(extents)));
      MR_ASSIGN_OR_RETURN(const Tensor part,
                          reader.LookupSlice(name, slice, ctx.allocator()));
      for (; begin < end; ++begin) {
        CopyRow(ctx.input(3),
                part.flat<float>().data() +
                    (pairs[begin].first - first) * part.dim(1),
                to + pairs[begin].second * columns_);
      }
    }
    return OkStatus();
  }

  void CopyRow(const Tensor& remapping, const float* from, float* to) const {
    const auto columns = remapping.flat<int64_t>();
    if (columns.empty()) {
      std::copy_n(from, columns_, to);
      return;
    }
    for (size_t i = 0; i < columns.size(); ++i) {
      if (columns[i] >= 0) to[i] = from[columns[i]];
    }
  }

  // Sets what the checkpoint does not have.
  Status FillNew(KernelContext& ctx, float* to) const {
    const auto rows = ctx.input(2).flat<int64_t>();
    const auto columns = ctx.input(3).flat<int64_t>();
    const auto values = ctx.input(4).flat<float>();
    size_t used = 0;
    for (const int64_t row : rows) {
      for (int64_t c = 0; c < columns_; ++c, ++to) {
        const bool is_old = row >= 0 && (columns.empty() ||
                                         columns[static_cast<size_t>(c)] >= 0);
        if (is_old) continue;
        if (used == values.size()) {
          return InvalidArgument("initializing_values contained ",
                                 values.size(),
                                 " elements, but more missing values remain.");
        }
        *to = values[used++];
      }
    }
    if (used == values.size()) return OkStatus();
    return InvalidArgument("initializing_values contained ", values.size(),
                           " elements, but only ", used,
                           " elements were used to fill in missing values.");
  }

  int64_t rows_ = 0, columns_ = 0, rows_at_once_ = -1;
};

}  // namespace

MR_KERNELS(LoadAndRemapMatrix, Cpu){{.make = MakeKernel<RemapMatrixKernel>}};

}  // namespace millrace::ops
