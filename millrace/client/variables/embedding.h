// Embeddings: rows of a table that is split over parameter servers. Only the
// rows that are asked for travel, whatever the size of the table, and so do
// their gradients (IndexedSlices of each part).
//
//   ops::PartitionedVariable table(scope.WithOpName("words"),
//                                  TensorShape({1'000'000, 64}),
//                                  DataType::kFloat, RandomUniform(),
//                                  FixedSizePartitioner(2),
//                                  {.use_resource = true});
//   Output rows = EmbeddingLookup(scope, table.parts(), ids,
//                                 {.strategy = EmbeddingOptions::kDiv});
//
// Tables that are trained are best resources: rows of a reference variable are
// gathered from a copy of its part if they are updated meanwhile (on its own
// task; nothing more travels).
#pragma once

#include <optional>
#include <vector>

#include "millrace/client/input.h"
#include "millrace/client/variables/variables.h"

namespace millrace {

struct EmbeddingOptions {
  // Which part has which rows. kMod: row i is row i / n of part i % n. kDiv:
  // the parts one after the other, as PartitionedVariable splits them.
  enum Strategy { kMod, kDiv };
  Strategy strategy = kMod;
  // Rows that are longer are cut to this L2 norm; none: any length.
  std::optional<double> max_norm;
};

// Row ids[...] of the parts together, of the shape ids.shape + row shape. `ids`
// are int32 or int64 (below the number of rows; what is not fails the step with
// INVALID_ARGUMENT) of any rank. The parts have rows of one shape and at least
// one dimension. Gathers run beside their parts, all else where the scope says.
Output EmbeddingLookup(const Scope& scope,
                       const std::vector<ops::Variable>& parts,
                       const Input& ids, const EmbeddingOptions& options = {});

// A sparse matrix of ids, as of a SparseTensor of two or more dimensions:
// indices [n, rank] int64 in row-major order, values [n], dense_shape [rank].
struct SparseIds {
  Output indices;
  Output values;
  Output dense_shape;
};

struct SparseEmbeddingOptions {
  // Of the rows of one example: the sum of weight * row; divided by the sum of
  // weights; divided by the root of the sum of their squares.
  enum Combiner { kSum, kMean, kSqrtN };
  Combiner combiner = kMean;
  EmbeddingOptions::Strategy strategy = EmbeddingOptions::kMod;
  std::optional<double> max_norm;
};

// For each example (row of the sparse matrix, which has an id at least, as far
// as the last one) what its rows combine to: [examples] + row shape. `weights`
// [n] float or double; null: ones.
Output EmbeddingLookupSparse(const Scope& scope,
                             const std::vector<ops::Variable>& parts,
                             const SparseIds& ids, const Output& weights = {},
                             const SparseEmbeddingOptions& options = {});

}  // namespace millrace
