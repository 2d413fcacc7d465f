#include "millrace/client/variables/embedding.h"

#include <algorithm>

#include "millrace/client/gradients/grad_shapes.h"
#include "millrace/client/ops.h"

namespace millrace::ops {
namespace {

Output AsOutput(const Scope& scope, const Input& input) {
  return input.is_literal() ? ops::Const(scope, input.literal())
                            : input.output();
}

// Returns rows of one part, on its device.
Output GatherRows(const Scope& scope, const Variable& part, const Output& ids) {
  const Scope beside = scope.ColocateWith(part.handle());
  if (!part.is_resource()) return ops::GatherV2(beside, part, ids, 0);
  return ops::ResourceGather(beside, part.handle(), ids, part.dtype());
}

// Scales each row down to the norm; the first `ids_rank` dimensions index rows.
Output CutToNorm(const Scope& scope, const Output& rows, int ids_rank,
                 int row_rank, const std::optional<double>& max_norm) {
  if (!max_norm) return rows;
  std::vector<int32_t> axes;
  for (int d = 0; d < row_rank; ++d) axes.push_back(ids_rank + d);
  const Output squares = axes.empty()
                             ? ops::Square(scope, rows)
                             : ops::Sum(scope, ops::Square(scope, rows), axes,
                                        {.keep_dims = true});
  // See ClipByNorm in millrace/train/optimizers/clip_gradients.h.
  const Output some = ops::Greater(scope, squares, 0);
  const Output safe =
      ops::SelectV2(scope, some, squares, ops::OnesLike(scope, squares));
  const Output norm =
      ops::SelectV2(scope, some, ops::Sqrt(scope, safe), squares);
  const Output limit = ops::Const(scope, *max_norm, rows.dtype());
  return ops::RealDiv(scope, ops::Mul(scope, rows, limit),
                      ops::Maximum(scope, norm, limit));
}

// The part of a row, and the row's index there.
struct Place {
  Output part;
  Output row;
};

Place FindPlaces(const Scope& scope, const Output& ids,
                 const std::vector<Variable>& parts,
                 PartitionStrategy strategy) {
  const int64_t n = static_cast<int64_t>(parts.size());
  if (strategy == PartitionStrategy::kMod) {
    return {ops::FloorMod(scope, ids, n), ops::FloorDiv(scope, ids, n)};
  }
  int64_t rows = 0;
  for (const Variable& part : parts) rows += part.shape().dim(0);
  // The first `longer` parts have one row more.
  const int64_t longer = rows % n;
  const int64_t each = std::max<int64_t>(1, rows / n);
  const Output past = ops::Sub(scope, ids, longer);
  const Output part = ops::Maximum(scope, ops::FloorDiv(scope, ids, each + 1),
                                   ops::FloorDiv(scope, past, each));
  return {part, ops::SelectV2(scope, ops::Less(scope, part, longer),
                              ops::FloorMod(scope, ids, each + 1),
                              ops::FloorMod(scope, past, each))};
}

Status CheckParts(const std::vector<Variable>& parts) {
  if (parts.empty()) return InvalidArgument("an embedding needs a table");
  for (const Variable& part : parts) {
    const PartialShape shape = part.shape();
    if (!part || !shape.known_rank() || shape.rank() < 1 ||
        shape.dim(0) == kUnknownDim) {
      return InvalidArgument("a part of an embedding's table needs rows, '",
                             part.op_name(), "' has shape ",
                             shape.DebugString());
    }
    if (part.dtype() != parts[0].dtype() ||
        shape.rank() != parts[0].shape().rank()) {
      return InvalidArgument("parts of an embedding's table differ: '",
                             parts[0].op_name(), "' and '", part.op_name(),
                             "'");
    }
  }
  return OkStatus();
}

// Returns [n] as [n, 1, ...], to be multiplied with rows of `rank` dimensions.
Output Column(const Scope& scope, const Output& vector, int rank) {
  std::vector<int32_t> shape(static_cast<size_t>(rank), 1);
  shape[0] = -1;
  return rank == 1 ? vector : ops::Reshape(scope, vector, shape);
}

Output Combined(const Scope& scope, const Output& rows, const Output& places,
                const Output& examples, EmbeddingCombiner how) {
  switch (how) {
    case EmbeddingCombiner::kSum:
      return ops::SparseSegmentSum(scope, rows, places, examples);
    case EmbeddingCombiner::kMean:
      return ops::SparseSegmentMean(scope, rows, places, examples);
    case EmbeddingCombiner::kSqrtN:
      return ops::SparseSegmentSqrtN(scope, rows, places, examples);
  }
  return {};
}

Output CombinedByWeight(const Scope& scope, const Output& distinct_rows,
                        const Output& places, const Output& examples,
                        const Output& weights, int rank,
                        EmbeddingCombiner how) {
  const DataType type = distinct_rows.dtype();
  const Output rows = ops::GatherV2(scope, distinct_rows, places, 0);
  const Output column = Column(
      scope,
      weights.dtype() == type ? weights : ops::Cast(scope, weights, type),
      rank);
  const Output sum =
      ops::SegmentSum(scope, ops::Mul(scope, rows, column), examples);
  if (how == EmbeddingCombiner::kSum) return sum;
  if (how == EmbeddingCombiner::kMean) {
    return ops::DivNoNan(scope, sum, ops::SegmentSum(scope, column, examples));
  }
  const Output squares =
      ops::SegmentSum(scope, ops::Square(scope, column), examples);
  return ops::DivNoNan(scope, sum, ops::Sqrt(scope, squares));
}

}  // namespace

Output EmbeddingLookup(const Scope& scope, const std::vector<Variable>& parts,
                       const Input& ids,
                       const EmbeddingLookupOptions& options) {
  const Scope block = scope.BlockFor("embedding_lookup");
  const Status valid = CheckParts(parts);
  if (!valid.ok()) {
    scope.Fail(valid, "embedding_lookup");
    return {};
  }
  const Output wanted = AsOutput(block, ids);
  if (!wanted) return {};
  const int row_rank = parts[0].shape().rank() - 1;
  const Scope last = block.WithOpName(block.name());
  if (parts.size() == 1 && (!options.max_norm || wanted.shape().known_rank())) {
    const Output rows = GatherRows(block, parts[0], wanted);
    const int ids_rank =
        wanted.shape().known_rank() ? wanted.shape().rank() : 0;
    return ops::Identity(
        last, CutToNorm(block.ColocateWith(parts[0].handle()), rows, ids_rank,
                        row_rank, options.max_norm));
  }
  const Output flat = ops::Reshape(block, wanted, {-1});
  const Place place = FindPlaces(block, flat, parts, options.strategy);
  const Output part = ops::Cast(block, place.part, DataType::kInt32);
  const int64_t n = static_cast<int64_t>(parts.size());
  const auto ids_of = ops::DynamicPartition(block, place.row, part, n);
  const auto order_of = ops::DynamicPartition(
      block, ops::Range(block, 0, ops::Size(block, flat), 1), part, n);
  if (ids_of.size() != parts.size() || order_of.size() != parts.size()) {
    return {};
  }
  std::vector<Output> found;
  for (size_t i = 0; i < parts.size(); ++i) {
    found.push_back(GatherRows(block, parts[i], ids_of[i]));
  }
  const Output rows =
      CutToNorm(block, ops::ParallelDynamicStitch(block, order_of, found), 1,
                row_rank, options.max_norm);
  // The shape of a row, taken from the table's.
  std::vector<int32_t> row_shape;
  for (int d = 1; d <= row_rank; ++d) {
    row_shape.push_back(static_cast<int32_t>(parts[0].shape().dim(d)));
  }
  const Output result = ops::Reshape(
      last, rows,
      row_shape.empty()
          ? ShapeOf(block, wanted)
          : ops::ConcatV2(
                block, {ShapeOf(block, wanted), ops::Const(block, row_shape)},
                0));
  return result;
}

Output EmbeddingLookupSparse(const Scope& scope,
                             const std::vector<Variable>& parts,
                             const SparseIds& ids,
                             const EmbeddingLookupSparseOptions& options) {
  const Scope block = scope.BlockFor("embedding_lookup_sparse");
  const Status valid = CheckParts(parts);
  if (!valid.ok()) {
    scope.Fail(valid, "embedding_lookup_sparse");
    return {};
  }
  if (!ids.indices || !ids.values) {
    scope.Fail(InvalidArgument("the ids of a sparse lookup are null"),
               "embedding_lookup_sparse");
    return {};
  }
  const Output examples =
      ops::Cast(block,
                ops::StridedSlice(
                    block, ids.indices, {0, 0}, {0, 1}, {1, 1},
                    {.begin_mask = 1, .end_mask = 1, .shrink_axis_mask = 2}),
                DataType::kInt32);
  // Each row crosses the network once, however often it is requested.
  const auto distinct = ops::Unique(block, ids.values);
  const Output rows = EmbeddingLookup(
      block, parts, distinct.y,
      {.strategy = options.strategy, .max_norm = options.max_norm});
  if (!rows) return {};
  const Output combined =
      options.weights
          ? CombinedByWeight(block, rows, distinct.idx, examples,
                             options.weights, parts[0].shape().rank(),
                             options.combiner)
          : Combined(block, rows, distinct.idx, examples, options.combiner);
  return ops::Identity(block.WithOpName(block.name()), combined);
}

}  // namespace millrace::ops
