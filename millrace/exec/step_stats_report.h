// Converts the recorded events of a step to the messages that clients read.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "millrace/exec/step_stats.h"
#include "millrace/protocol/step_stats.h"

namespace millrace {

// The nodes of all devices as TensorFlow reports them: without those that
// transfer values. Each receive is a node "RecvTensor" of its device, with its
// bytes as output 0. The events must be those of a collector that keeps all.
StepStats ToStepStats(const StepEvents& events);

// Returns the label of a node "RecvTensor"; `from` and `to` are devices.
std::string TransferLabel(int64_t bytes, absl::string_view tensor_name,
                          absl::string_view from, absl::string_view to);

// Returns the bytes that a node took and did not pass on.
int64_t TemporaryBytes(const NodeStats& node);

}  // namespace millrace
