#include "millrace/train/quantized/calibrated_ranges.h"

#include <algorithm>
#include <cmath>

#include "millrace/client/client_graph.h"

namespace millrace::train {
namespace {

struct RangeEnds {
  float min, max;
};

// Requires: there are values. Sorts them if it has to.
RangeEnds EndsOf(std::vector<float>* values, double percentile) {
  if (percentile >= 100) {
    const auto [low, high] =
        std::minmax_element(values->begin(), values->end());
    return {*low, *high};
  }
  const auto place = [&](double part) {
    const auto at = static_cast<int64_t>(
        std::nearbyint(part / 100 * static_cast<double>(values->size() - 1)));
    const auto found = values->begin() + at;
    std::nth_element(values->begin(), found, values->end());
    return *found;
  };
  return {place(100 - percentile), place(percentile)};
}

}  // namespace

StatusOr<ActivationRanges> CalibrateRanges(
    Session& session, const std::vector<std::string>& names,
    const std::vector<std::vector<Feed>>& batches, double percentile) {
  if (batches.empty()) {
    return InvalidArgument(
        "calibration has no batch: give one list of feeds or more, with "
        "examples as the network will see them");
  }
  std::vector<Output> fetches;
  for (const std::string& name : names) {
    MR_ASSIGN_OR_RETURN(const Output output, session.graph()->FindOutput(name));
    fetches.push_back(output);
  }
  ActivationRanges ranges;
  for (size_t batch = 0; batch < batches.size(); ++batch) {
    MR_ASSIGN_OR_RETURN(const std::vector<Tensor> tensors,
                        session.Run(batches[batch], fetches));
    for (size_t i = 0; i < names.size(); ++i) {
      const Tensor& t = tensors[i];
      if (t.num_elements() == 0) continue;
      const auto flat = t.flat<float>();
      std::vector<float> values(flat.begin(), flat.end());
      if (!std::all_of(values.begin(), values.end(),
                       [](float v) { return std::isfinite(v); })) {
        return InvalidArgument(
            names[i], " has NaN or infinite numbers in calibration batch ",
            batch, ": a network in 8 bits needs a range");
      }
      const RangeEnds ends = EndsOf(&values, percentile);
      const auto [found, is_new] = ranges.try_emplace(
          names[i], ActivationRange{ends.min, ends.max,
                                    t.rank() == 0 ? 1 : t.dim(t.rank() - 1)});
      if (!is_new) {
        found->second.min = std::min(found->second.min, ends.min);
        found->second.max = std::max(found->second.max, ends.max);
      }
    }
  }
  for (const std::string& name : names) {
    if (!ranges.contains(name)) {
      return InvalidArgument("calibration has no example: ", name,
                             " had no number in any batch");
    }
  }
  return ranges;
}

}  // namespace millrace::train
