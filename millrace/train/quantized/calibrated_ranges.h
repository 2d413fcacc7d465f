// The ranges of a network's activations: what examples show of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "millrace/client/session.h"

namespace millrace::train {

// The range of one tensor, over all batches.
struct ActivationRange {
  float min = 0, max = 0;
  int64_t last_size = 1;  // of its shape: the channels of images
};
using ActivationRanges = absl::flat_hash_map<std::string, ActivationRange>;

// Runs the network on each batch, a list of feeds, and returns the ranges of
// the tensors named, of type float, by these names. Of a batch the values count
// between the percentiles 100 - `percentile` and `percentile`, at the nearest
// place of the sorted ones; of all batches the widest. INVALID_ARGUMENT without
// a batch, or where a tensor has NaN or infinite numbers, or no number in any
// batch.
StatusOr<ActivationRanges> CalibrateRanges(
    Session& session, const std::vector<std::string>& names,
    const std::vector<std::vector<Feed>>& batches, double percentile);

}  // namespace millrace::train
