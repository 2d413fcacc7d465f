#include "tests/simulation/faults.h"

#include <numeric>

namespace millrace::sim {

std::string TroubleName(Trouble trouble) {
  switch (trouble) {
    case Trouble::kKill:
      return "kill";
    case Trouble::kFreeze:
      return "freeze";
    case Trouble::kPartition:
      return "partition";
    case Trouble::kDisconnect:
      return "disconnect";
    case Trouble::kClientKill:
      return "client_kill";
    case Trouble::kDiskCrash:
      return "disk_crash";
    case Trouble::kDiskError:
      return "disk_error";
    default:
      return std::string(FaultName(static_cast<Fault>(trouble)));
  }
}

void TroubleCounts::AddCalls(const FaultNetwork& network) {
  for (int f = 0; f < kNumFaults; ++f) {
    for (int m = 0; m < kNumMethods; ++m) {
      rows_[f][m] +=
          network.count(static_cast<Fault>(f), static_cast<MethodId>(m));
    }
  }
}

int64_t TroubleCounts::count(int trouble) const {
  const auto& row = rows_[static_cast<size_t>(trouble)];
  return std::accumulate(row.begin(), row.end(), int64_t{0});
}

int64_t TroubleCounts::sum() const {
  int64_t sum = 0;
  for (int t = 0; t < kNumTroubles; ++t) sum += count(t);
  return sum;
}

}  // namespace millrace::sim
