// Producers: queues that give rows, names or numbers over and over, epoch after
// epoch. Each adds a queue and a QueueRunner that fills it to the graph.
//
//   const Queue names = StringInputProducer(scope, {"a.csv", "b.csv"},
//                                           {.num_epochs = 2});
//   const auto line = ops::ReaderReadV2(scope, reader, names.handle());
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "millrace/client/queues.h"
#include "millrace/client/variables/variables.h"

namespace millrace::train {

struct InputProducerOptions {
  // How often all rows are given before the queue is closed (OUT_OF_RANGE);
  // unset: without end. Counts in a local variable: run
  // ops::LocalVariablesInitializer first. One that a ReplicaDeviceSetter puts
  // on a ps counts the epochs of ALL replicas together: see LimitEpochs.
  std::optional<int64_t> num_epochs;
  bool shuffle = true;  // in each epoch anew
  std::optional<int64_t> seed;
  int64_t capacity = 32;
  std::string shared_name;  // of the queue
  Operation cancel_op;      // of the queue runner; null: one that is added
};

// Of the producers below: how the queue is called, its block being that of the
// scope's op name, "input_producer" without one. Errors go to the graph.

// The rows of a tensor, whose shape must be known but for their number; else
// `element_shape` says it.
Queue InputProducer(const Scope& scope, const Input& input_tensor,
                    const InputProducerOptions& options = {},
                    const PartialShape& element_shape = PartialShape(),
                    const std::string& summary_name = "");
// Strings, such as names of files. Without any it fails: INVALID_ARGUMENT.
Queue StringInputProducer(const Scope& scope, const Input& string_tensor,
                          const InputProducerOptions& options = {});
// The int32 numbers 0 ... limit - 1.
Queue RangeInputProducer(const Scope& scope, const Input& limit,
                         const InputProducerOptions& options = {});
// One row of each of several tensors, all with as many rows.
std::vector<Output> SliceInputProducer(
    const Scope& scope, const InputList& tensors,
    const InputProducerOptions& options = {});

// `tensor`, which can be computed `num_epochs` times; then OUT_OF_RANGE. Adds
// the local variable "epochs". Unset: `tensor` itself.
//
// Below a ReplicaDeviceSetter the variable lies on a ps, as in TensorFlow, so
// that `num_epochs` are shared by all replicas, and begin anew for all when one
// initializes its local variables. For epochs of its own a replica asks for its
// worker: LimitEpochs(scope.WithDevice("/job:worker/task:1"), ...).
Output LimitEpochs(const Scope& scope, const Input& tensor,
                   std::optional<int64_t> num_epochs);

// A local variable with the names of the files that match, looked up when it is
// initialized.
ops::Variable MatchFilenamesOnce(const Scope& scope, const Input& pattern);

}  // namespace millrace::train
