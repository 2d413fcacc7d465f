#include "tests/simulation/nemesis.h"

namespace millrace::sim {
namespace {

constexpr int64_t kMillisecond = 1'000'000;

FaultOptions RandomFaults() {
  // In a million: up to 2 % each.
  const auto chance = [] { return static_cast<int>(SimRandom(20'000)); };
  FaultOptions options;
  options.request_lost = chance();
  options.reply_lost = chance();
  options.duplicated = chance();
  options.request_delayed = chance();
  options.reply_delayed = chance();
  options.reset = chance() / 4;
  return options;
}

}  // namespace

FaultCounts MakeTrouble(SimCluster& cluster, Deadline end) {
  FaultCounts counts;
  cluster.network().set_options(RandomFaults());
  while (!end.expired()) {
    SleepUntil(Deadline::Min(
        end,
        Deadline::After(static_cast<int64_t>(SimRandom(1500)) * kMillisecond)));
    const int task =
        static_cast<int>(SimRandom(static_cast<uint64_t>(cluster.num_tasks())));
    switch (SimRandom(6)) {
      case 0:
      case 1:
        if (cluster.running(task)) {
          cluster.Kill(task);
          ++counts["kill"];
        }
        break;
      case 2:
        cluster.Start(task);
        break;
      case 3:
        cluster.FreezeFor(task,
                          static_cast<int64_t>(SimRandom(8000)) * kMillisecond);
        ++counts["freeze"];
        break;
      case 4: {
        const int other = static_cast<int>(
            SimRandom(static_cast<uint64_t>(cluster.num_tasks())));
        if (other == task) break;
        cluster.network().Partition(
            cluster.address(task), cluster.address(other),
            Deadline::After(static_cast<int64_t>(SimRandom(8000)) *
                            kMillisecond));
        ++counts["partition"];
        break;
      }
      default:
        cluster.network().set_options(RandomFaults());
        break;
    }
  }
  cluster.network().set_options({});
  cluster.network().HealAll();
  for (int i = 0; i < cluster.num_tasks(); ++i) cluster.Start(i);
  return counts;
}

}  // namespace millrace::sim
