// Embeddings: rows of a table that is partitioned over parameter servers. Only
// the requested rows cross the network, whatever the size of the table, and so
// do their gradients (sparse: IndexedSlices of each part).
//
//   ops::PartitionedVariable table(scope.WithOpName("words"),
//                                  TensorShape({1'000'000, 64}),
//                                  DataType::kFloat, RandomUniform(),
//                                  FixedSizePartitioner(2),
//                                  {.use_resource = true});
//   Output rows = ops::EmbeddingLookup(
//       scope, table.parts(), ids, {.strategy = ops::PartitionStrategy::kDiv});
//
// Trained tables should be resources: rows of a reference variable are gathered
// from a copy of its part if they are updated meanwhile (on its own task; no
// more data crosses the network).
#pragma once

#include <optional>
#include <vector>

#include "millrace/client/input.h"
#include "millrace/client/variables/variables.h"

namespace millrace::ops {

// Assigns the rows of a table to its n parts.
enum class PartitionStrategy {
  kMod,  // row i is row i / n of part i % n
  kDiv,  // the parts one after the other, as PartitionedVariable splits them
};

struct EmbeddingLookupOptions {
  PartitionStrategy strategy = PartitionStrategy::kMod;
  // Longer rows are scaled to this L2 norm; none: any length.
  std::optional<double> max_norm;
};

// Returns rows ids[...] of the concatenated parts, of the shape ids.shape + row
// shape. `ids` are int32 or int64 of any rank (an id outside the table fails
// the step with INVALID_ARGUMENT). The parts have rows of one shape and at
// least one dimension. Gathers are placed with their parts, everything else
// where the scope says.
Output EmbeddingLookup(const Scope& scope, const std::vector<Variable>& parts,
                       const Input& ids,
                       const EmbeddingLookupOptions& options = {});

// A sparse matrix of ids, as of a SparseTensor of two or more dimensions:
// indices [n, rank] int64 in row-major order, values [n], dense_shape [rank].
struct SparseIds {
  Output indices;
  Output values;
  Output dense_shape;
};

// How the rows of one example are combined.
enum class EmbeddingCombiner {
  kSum,    // the sum of weight * row
  kMean,   // that divided by the sum of the weights
  kSqrtN,  // or by the root of the sum of their squares
};

struct EmbeddingLookupSparseOptions {
  Output weights;  // [n], float or double; null: ones
  EmbeddingCombiner combiner = EmbeddingCombiner::kMean;
  PartitionStrategy strategy = PartitionStrategy::kMod;
  std::optional<double> max_norm;
};

// Returns for each example the combination of its rows: [examples] + row shape.
// An example is a row of the sparse matrix; each must have at least one id, up
// to the last one.
Output EmbeddingLookupSparse(const Scope& scope,
                             const std::vector<Variable>& parts,
                             const SparseIds& ids,
                             const EmbeddingLookupSparseOptions& options = {});

}  // namespace millrace::ops
