// DbValue: a value of a summary as a row of a database, which has tensors only.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "millrace/base/status.h"
#include "millrace/tensor/tensor.h"

namespace millrace::ops {

struct DbValue {
  std::string tag;
  std::string display_name, description, plugin, plugin_data;
  Tensor tensor;
};

// Returns the values of a serialized Summary, as the plugins of TensorBoard
// take them: a number for "scalars", [left, right, count] of each bucket for
// "histograms", [width, height, PNG] for "images", [[WAV, label]] for "audio".
// Values of other kinds are left out. Returns DATA_LOSS if the bytes are no
// Summary.
StatusOr<std::vector<DbValue>> DbValuesOf(absl::string_view summary);

// The parts of a serialized Event that a database keeps.
struct DbEvent {
  double wall_time = 0;
  int64_t step = 0;
  absl::string_view graph, summary;  // into the event
};
// Returns DATA_LOSS if the bytes are no Event.
StatusOr<DbEvent> DbEventOf(absl::string_view event);

}  // namespace millrace::ops
