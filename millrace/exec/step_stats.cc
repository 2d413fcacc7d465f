#include "millrace/exec/step_stats.h"

#include "millrace/base/clock.h"

namespace millrace {

StepStatsCollector::StepStatsCollector()
    : wall_offset_micros_(WallMicros() - NowNanos() / 1000) {}

void StepStatsCollector::Record(const std::string& device, NodeStats stats) {
  MutexLock lock(mu_);
  for (DeviceStats& d : devices_) {
    if (d.device == device) {
      d.nodes.push_back(std::move(stats));
      return;
    }
  }
  devices_.push_back({device, {}});
  devices_.back().nodes.push_back(std::move(stats));
}

std::vector<StepStatsCollector::DeviceStats> StepStatsCollector::Take() {
  MutexLock lock(mu_);
  return std::move(devices_);
}

}  // namespace millrace
