#include "tests/simulation/nemesis.h"

#include "millrace/base/log.h"

namespace millrace::sim {
namespace {

constexpr int64_t kMillisecond = 1'000'000;
constexpr int64_t kPauseMs = 3'000;
constexpr int64_t kSilenceMs = 7'000;
constexpr int64_t kLongSilenceMs = 60'000;
constexpr int64_t kDownMs = 5'000;
// Interval at which it checks whether a task is to be restarted or a client to
// be killed.
constexpr int64_t kLookMs = 300;
constexpr int64_t kDoomedMs = 1'500;
constexpr int kFirstDoomed = 100;
constexpr int kMaxDoomed = 2;

uint64_t Random(int64_t n) { return SimRandom(static_cast<uint64_t>(n)); }

int64_t SilenceNanos() {
  const int64_t most = SimRandom(10) == 0 ? kLongSilenceMs : kSilenceMs;
  return static_cast<int64_t>(Random(most)) * kMillisecond;
}

FaultOptions RandomFaults() {
  // Per million: up to 1 % each.
  const auto chance = [] { return 1'000 + static_cast<int>(SimRandom(9'000)); };
  FaultOptions options;
  options.request_lost = chance();
  options.reply_lost = chance();
  options.duplicated = 2 * chance();
  options.request_delayed = chance();
  options.reply_delayed = chance();
  // Usually while the call is still open.
  options.reset = chance();
  options.max_reset_nanos = 10 * kMillisecond;
  return options;
}

}  // namespace

Nemesis::Nemesis(SimCluster& cluster, Verdict& verdict, int num_clients)
    : cluster_(cluster),
      verdict_(verdict),
      num_clients_(num_clients),
      start_at_(static_cast<size_t>(cluster.num_tasks()),
                Deadline::Infinite()) {}

void Nemesis::MakeTrouble(const std::function<bool()>& enough, Deadline limit) {
  cluster_.network().set_options(RandomFaults());
  while (verdict_.ok() && !limit.expired() && !enough()) {
    const Deadline next =
        Deadline::AfterMillis(static_cast<int64_t>(Random(kPauseMs)));
    while (!next.expired()) {
      SleepUntil(Deadline::Min(next, Deadline::AfterMillis(kLookMs)));
      DoDue();
    }
    OneTrouble();
  }
  Heal();
}

void Nemesis::OneTrouble() {
  const int task = static_cast<int>(Random(cluster_.num_tasks()));
  switch (SimRandom(18)) {
    case 0:
    case 1:
    case 2:
      Kill(task);
      break;
    case 3:
    case 4:
      Freeze(task, SilenceNanos());
      break;
    case 5:
    case 6:
    case 7: {
      const auto [a, b] = TwoEnds();
      const int64_t nanos = SilenceNanos();
      MR_LOG(Info) << "trouble: nothing passes between " << a << " and " << b
                   << " for " << nanos / kMillisecond << " ms";
      cluster_.network().Partition(a, b, Deadline::After(nanos));
      counts_.Add(Trouble::kPartition);
      break;
    }
    case 8:
    case 9: {
      const auto [a, b] = TwoEnds();
      MR_LOG(Info) << "trouble: " << a << " and " << b << " disconnect";
      cluster_.network().Reset(a, b);
      counts_.Add(Trouble::kDisconnect);
      break;
    }
    case 10:
    case 11:
      MR_LOG(Info) << "trouble: crash of the disk";
      cluster_.CrashDisk();
      counts_.Add(Trouble::kDiskCrash);
      break;
    case 12:
    case 13:
      SetDiskErrors(SimRandom(2) == 0);
      break;
    case 14:
    case 15:
      cluster_.network().set_options(RandomFaults());
      break;
    default:
      if (doomed_.size() < kMaxDoomed &&
          (doomed_.empty() || doomed_.back()->dead())) {
        dies_at_ =
            Deadline::AfterMillis(static_cast<int64_t>(Random(kDoomedMs)));
        doomed_.push_back(std::make_unique<DoomedClient>(
            cluster_, verdict_,
            kFirstDoomed + 2 * static_cast<int>(doomed_.size()) +
                static_cast<int>(SimRandom(2))));
      }
  }
}

void Nemesis::Kill(int task) {
  if (!cluster_.running(task)) return;
  MR_LOG(Info) << "trouble: kill " << cluster_.name(task).ToString();
  cluster_.Kill(task);
  start_at_[task] =
      Deadline::AfterMillis(static_cast<int64_t>(Random(kDownMs)));
  counts_.Add(Trouble::kKill);
}

void Nemesis::Freeze(int task, int64_t nanos) {
  if (!cluster_.running(task)) return;
  MR_LOG(Info) << "trouble: freeze " << cluster_.name(task).ToString()
               << " for " << nanos / kMillisecond << " ms";
  cluster_.FreezeFor(task, nanos);
  counts_.Add(Trouble::kFreeze);
}

void Nemesis::KillClient() {
  MR_LOG(Info) << "trouble: kill a client";
  doomed_.back()->Die();
  counts_.Add(Trouble::kClientKill);
}

void Nemesis::DoDue() {
  if (!doomed_.empty() && !doomed_.back()->dead() && doomed_.back()->waits() &&
      dies_at_.expired()) {
    KillClient();
  }
  for (int task = 0; task < cluster_.num_tasks(); ++task) {
    if (!start_at_[task].expired()) continue;
    cluster_.Start(task);
    start_at_[task] = Deadline::Infinite();
  }
}

std::pair<std::string, std::string> Nemesis::TwoEnds() {
  const int tasks = cluster_.num_tasks();
  const int task = static_cast<int>(Random(tasks));
  const int other = static_cast<int>(Random(tasks + num_clients_ - 1));
  const std::string to = cluster_.address(task);
  if (other < tasks - 1) {
    return {cluster_.address((task + 1 + other) % tasks), to};
  }
  return {absl::StrCat("client", other - (tasks - 1)), to};
}

void Nemesis::SetDiskErrors(bool on) {
  if (!on) return cluster_.files().SetFault(nullptr);
  cluster_.files().SetFault(
      [count = disk_errors_](FileOp op, const std::string& path) {
        const bool writes = op != FileOp::kOpenRead && op != FileOp::kRead &&
                            op != FileOp::kStat && op != FileOp::kList;
        if (!writes || SimRandom(12) != 0) return OkStatus();
        ++*count;
        return ResourceExhausted(path, "; No space left on device");
      });
}

void Nemesis::Heal() {
  cluster_.network().set_options({});
  cluster_.network().HealAll();
  SetDiskErrors(false);
  if (!doomed_.empty() && !doomed_.back()->dead()) KillClient();
  for (int task = 0; task < cluster_.num_tasks(); ++task) {
    cluster_.Start(task);
    cluster_.Thaw(task);
  }
}

TroubleCounts Nemesis::counts() const {
  TroubleCounts counts = counts_;
  counts.AddCalls(cluster_.network());
  counts.Add(Trouble::kDiskError, *disk_errors_);
  return counts;
}

bool Nemesis::killed_client() const {
  for (const auto& doomed : doomed_) {
    if (doomed->dead()) return true;
  }
  return false;
}

}  // namespace millrace::sim
