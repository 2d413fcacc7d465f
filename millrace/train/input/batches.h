// Batches: combine tensors of single examples into tensors of many, by a queue
// that threads fill. Each function adds a queue and a QueueRunner to the graph.
//
//   auto [x, y] = ...;                                   // one example
//   const auto batch = ShuffleBatch(scope, {x, y}, 32,
//                                   {.capacity = 1000,
//                                    .min_after_dequeue = 500,
//                                    .num_threads = 4});  // batch[0], batch[1]
//
// The Join forms take several lists of tensors, each enqueued by a thread of
// its own: several readers in parallel. The Maybe forms drop examples for which
// `keep_input` is false: a bool scalar, or with enqueue_many a vector.
//
// The batches end with OUT_OF_RANGE after the examples. Ranks must be known;
// types and shapes of all lists must agree. Errors are recorded in the graph
// and give null outputs. The block is called "batch", "batch_join",
// "shuffle_batch" and "shuffle_batch_join", unless the scope names it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "millrace/client/queues.h"

namespace millrace::train {

struct BatchOptions {
  int64_t num_threads = 1;    // of the forms with one list
  int64_t capacity = 32;      // of the queue
  bool enqueue_many = false;  // the tensors have one row per example
  // Shapes of an example's components; empty: those of the tensors, which must
  // be fully defined unless dynamic_pad.
  std::vector<PartialShape> shapes;
  // Whether to pad unknown sizes with zeros to the largest of a batch.
  bool dynamic_pad = false;
  // Whether the last batch contains the remaining examples; otherwise they are
  // dropped.
  bool allow_smaller_final_batch = false;
  std::string shared_name;  // of the queue
};

std::vector<Output> Batch(const Scope& scope, const InputList& tensors,
                          const Input& batch_size,
                          const BatchOptions& options = {});
std::vector<Output> MaybeBatch(const Scope& scope, const InputList& tensors,
                               const Input& keep_input, const Input& batch_size,
                               const BatchOptions& options = {});
std::vector<Output> BatchJoin(const Scope& scope,
                              const std::vector<InputList>& lists,
                              const Input& batch_size,
                              const BatchOptions& options = {});
std::vector<Output> MaybeBatchJoin(const Scope& scope,
                                   const std::vector<InputList>& lists,
                                   const Input& keep_input,
                                   const Input& batch_size,
                                   const BatchOptions& options = {});

struct ShuffleBatchOptions {
  int64_t capacity = 0;           // must be given, larger than:
  int64_t min_after_dequeue = 0;  // elements that are left for shuffling
  int64_t num_threads = 1;
  std::optional<int64_t> seed;
  bool enqueue_many = false;
  std::vector<PartialShape> shapes;
  bool allow_smaller_final_batch = false;
  std::string shared_name;
};

std::vector<Output> ShuffleBatch(const Scope& scope, const InputList& tensors,
                                 const Input& batch_size,
                                 const ShuffleBatchOptions& options);
std::vector<Output> MaybeShuffleBatch(const Scope& scope,
                                      const InputList& tensors,
                                      const Input& keep_input,
                                      const Input& batch_size,
                                      const ShuffleBatchOptions& options);
std::vector<Output> ShuffleBatchJoin(const Scope& scope,
                                     const std::vector<InputList>& lists,
                                     const Input& batch_size,
                                     const ShuffleBatchOptions& options);
std::vector<Output> MaybeShuffleBatchJoin(const Scope& scope,
                                          const std::vector<InputList>& lists,
                                          const Input& keep_input,
                                          const Input& batch_size,
                                          const ShuffleBatchOptions& options);

}  // namespace millrace::train
