// Input producers: queues that produce rows, names or numbers repeatedly, epoch
// after epoch. Each adds a queue and a QueueRunner that fills it to the graph.
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
  // How many times all rows are produced before the queue is closed
  // (OUT_OF_RANGE); unset: without end. Counted in a local variable: run
  // ops::LocalVariablesInitializer first. A variable that a ReplicaDeviceSetter
  // places on a ps counts the epochs of ALL replicas together: see LimitEpochs.
  std::optional<int64_t> num_epochs;
  bool shuffle = true;  // anew in each epoch
  std::optional<int64_t> seed;
  int64_t capacity = 32;
  std::string shared_name;  // of the queue
  Operation cancel_op;      // of the queue runner; null: one is added
  // These are for InputProducer; the others know their own. The shape of a row,
  // if the tensor does not tell, and the name of a summary of how full the
  // queue is (empty: none).
  PartialShape element_shape;
  std::string summary_name;
};

// For the producers below: the scope's op name names the block of the queue,
// "input_producer" without one. Errors are recorded in the graph.

// Produces the rows of a tensor, whose shape must be known except for their
// number; otherwise options.element_shape gives it.
Queue InputProducer(const Scope& scope, const Input& input_tensor,
                    const InputProducerOptions& options = {});
// Produces strings, such as file names. Fails with INVALID_ARGUMENT if there
// are none.
Queue StringInputProducer(const Scope& scope, const Input& string_tensor,
                          const InputProducerOptions& options = {});
// Produces the int32 numbers 0 ... limit - 1.
Queue RangeInputProducer(const Scope& scope, const Input& limit,
                         const InputProducerOptions& options = {});
// Returns one row of each of several tensors, all with the same number of rows.
std::vector<Output> SliceInputProducer(
    const Scope& scope, const InputList& tensors,
    const InputProducerOptions& options = {});

// Returns `tensor`, which can be computed `num_epochs` times; then
// OUT_OF_RANGE. Adds the local variable "epochs". Unset: `tensor` itself.
//
// Below a ReplicaDeviceSetter the variable is placed on a ps, as in TensorFlow,
// so that all replicas share `num_epochs`, and it is reset for all when one
// initializes its local variables. For epochs of its own a replica requests its
// worker: LimitEpochs(scope.WithDevice("/job:worker/task:1"), ...).
Output LimitEpochs(const Scope& scope, const Input& tensor,
                   std::optional<int64_t> num_epochs);

// Returns a local variable with the names of the files that match, looked up
// when it is initialized.
ops::Variable MatchFilenamesOnce(const Scope& scope, const Input& pattern);

}  // namespace millrace::train
