// Checks of losses of logits, for the memory of any device.
#pragma once

#include "millrace/ops/elementwise/broadcast.h"

namespace millrace::ops {

// Returns how logits and labels are broadcast to [batch, classes];
// INVALID_ARGUMENT if they are not.
StatusOr<Broadcast> CrossEntropyBroadcast(const TensorShape& logits,
                                          const TensorShape& labels);

// Checks logits [batch, classes], of at least one class, and labels [batch].
Status CheckSparseCrossEntropy(const TensorShape& logits,
                               const TensorShape& labels);

}  // namespace millrace::ops
