#include "millrace/ops/sparse/batch.h"

#include <algorithm>

#include "millrace/ops/array/move.h"

namespace millrace::ops {
namespace {

// Returns entries [begin, end) without their first coordinate.
StatusOr<SparsePart> CutPart(KernelContext& ctx, const SparseEntries& e,
                             int64_t begin, int64_t end, DimVector dims) {
  SparsePart part;
  part.dims = std::move(dims);
  MR_ASSIGN_OR_RETURN(part.indices,
                      ctx.AllocateTemp(DataType::kInt64,
                                       TensorShape({end - begin, e.rank - 1})));
  MR_ASSIGN_OR_RETURN(
      part.values,
      ctx.AllocateTemp(e.values->dtype(), TensorShape({end - begin})));
  int64_t* to = part.indices.mutable_flat<int64_t>().data();
  for (int64_t i = begin; i < end; ++i) {
    to = std::copy_n(e.at(i) + 1, e.rank - 1, to);
  }
  CopyElements(e.values->dtype(), e.values->data(), begin,
               part.values.mutable_data(), 0, end - begin);
  return part;
}

// Returns the number of parts of a batch that have entries.
int64_t CountParts(const SparseEntries& e) {
  int64_t parts = 0;
  for (int64_t i = 0; i < e.count; ++i)
    parts += i == 0 || e.at(i)[0] != e.at(i - 1)[0];
  return parts;
}

}  // namespace

int64_t SparsePart::OwnBytes() const {
  constexpr int64_t kBufferBytes = 64;  // of a tensor, approximately
  const size_t dims_elsewhere =
      dims.size() > DimVector().capacity() ? dims.size() : 0;
  return static_cast<int64_t>(sizeof(SparsePart) +
                              dims_elsewhere * sizeof(int64_t)) +
         2 * kBufferBytes;
}

StatusOr<BatchParts> CutBatch(KernelContext& ctx, SizeWords words) {
  const Tensor& shape = ctx.input(2);
  const StatusOr<SparseEntries> read =
      ReadEntries(ctx, 0, {PartWords::kInput, words});
  // Stock looks at the ranks first and, in a batch, at the numbers.
  if (words == SizeWords::kBatch || ctx.input(0).rank() != 2 ||
      ctx.input(1).rank() != 1) {
    MR_RETURN_IF_ERROR(read.status());
  }
  if (shape.rank() == 1 && shape.dim(0) <= 1) {
    return InvalidArgument(
        "Rank of input SparseTensor should be > 1, but saw rank: ",
        shape.dim(0));
  }
  MR_RETURN_IF_ERROR(read.status());
  const SparseEntries& e = *read;
  MR_RETURN_IF_ERROR(DenseShape(e.dims).status());
  MR_RETURN_IF_ERROR(CheckOrder(e));
  BatchParts batch;
  batch.count = e.dims[0];
  const DimVector dims(e.dims.begin() + 1, e.dims.end());
  MR_ASSIGN_OR_RETURN(batch.empty, CutPart(ctx, e, 0, 0, dims));
  const int64_t parts = CountParts(e);
  MR_RETURN_IF_ERROR(batch.charge.Set(parts * batch.empty.OwnBytes(),
                                      "the parts of a sparse tensor"));
  batch.parts.reserve(static_cast<size_t>(parts));
  for (int64_t begin = 0, end = 0; begin < e.count; begin = end) {
    const int64_t place = e.at(begin)[0];
    while (end < e.count && e.at(end)[0] == place) ++end;
    MR_ASSIGN_OR_RETURN(SparsePart part, CutPart(ctx, e, begin, end, dims));
    batch.parts.emplace_back(place, std::move(part));
  }
  return batch;
}

Status CheckValuesType(const SparsePart& part, size_t i, DataType type) {
  if (part.values.dtype() == type) return OkStatus();
  return InvalidArgument("Requested SparseTensor of type ", DataTypeName(type),
                         " but SparseTensor[", i, "].values.dtype() == ",
                         DataTypeName(part.values.dtype()));
}

Status CheckRank(const SparsePart& part, size_t i, const SparsePart& first,
                 RankWords words) {
  if (part.dims.size() == first.dims.size()) return OkStatus();
  const bool joined = words == RankWords::kOfJoined;
  const size_t more = joined ? 1 : 0;
  return InvalidArgument("Inconsistent ", joined ? "rank" : "shape",
                         " across SparseTensors: rank prior to SparseTensor[",
                         i, "] was: ", first.dims.size() + more,
                         " but rank of SparseTensor[", i,
                         "] is: ", part.dims.size() + more);
}

Status JoinBatch(KernelContext& ctx, absl::Span<const SparsePart> parts,
                 absl::Span<const int64_t> batch, RankWords words) {
  DimVector dims(batch.begin(), batch.end());
  const SparsePart& first = parts[0];
  dims.insert(dims.end(), first.dims.begin(), first.dims.end());
  int64_t count = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    MR_RETURN_IF_ERROR(CheckRank(parts[i], i, first, words));
    count += parts[i].values.num_elements();
    for (size_t d = 0; d < first.dims.size(); ++d) {
      int64_t& dim = dims[batch.size() + d];
      dim = std::max(dim, parts[i].dims[d]);
    }
  }
  const auto rank = static_cast<int64_t>(first.dims.size());
  MR_ASSIGN_OR_RETURN(
      const EntriesOutput out,
      AllocateEntries(ctx, 0, 1, count, static_cast<int64_t>(dims.size())));
  int64_t* to = out.coordinates;
  int64_t at = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const DimVector place = Coordinates(static_cast<int64_t>(i), batch);
    const int64_t n = parts[i].values.num_elements();
    const int64_t* from = parts[i].indices.flat<int64_t>().data();
    for (int64_t k = 0; k < n; ++k, from += rank) {
      to = std::copy(place.begin(), place.end(), to);
      to = std::copy_n(from, rank, to);
    }
    CopyElements(out.values->dtype(), parts[i].values.data(), 0,
                 out.values->mutable_data(), at, n);
    at += n;
  }
  return SetVector(ctx, 2, dims);
}

}  // namespace millrace::ops
