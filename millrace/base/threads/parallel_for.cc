// ParallelFor: cuts a range into shards, and chooses the workers that help.
#include <algorithm>
#include <atomic>

#include "millrace/base/threads/intra_op.h"
#include "millrace/base/threads/lanes.h"

namespace millrace {
namespace {

constexpr double kMinShardNanos = 20e3;
// Work of at least this duration is cut into two or more shards. Passing one to
// a worker that spins takes a microsecond or two.
constexpr double kMinSharedNanos = 8e3;
// Shorter work is shared with workers that happen to be awake, and does not
// count as demand for the next call.
constexpr double kMinAskedNanos = 40e3;
// Waking a thread costs 5 to 50 us, so shorter work is not shared with sleeping
// workers.
constexpr double kMinWokenNanos = 100e3;
// A cancelled kernel stops at the end of a shard.
constexpr double kMaxShardNanos = 100e6;
constexpr int kShardsPerThread = 4;

}  // namespace

int64_t IntraOpPool::ShardSize(int64_t total, int64_t cost_per_unit_nanos,
                               int width) {
  const double work =
      static_cast<double>(total) *
      static_cast<double>(std::max<int64_t>(1, cost_per_unit_nanos));
  double shards = 1;
  if (width > 1 && work >= kMinSharedNanos) {
    shards = std::min<double>(width * kShardsPerThread,
                              std::max(2.0, work / kMinShardNanos));
  }
  shards = std::max(shards, work / kMaxShardNanos);
  if (shards >= static_cast<double>(total)) return 1;
  const int64_t n = static_cast<int64_t>(shards);
  return total / n + (total % n != 0);
}

Status IntraOpPool::ParallelFor(int64_t total, int64_t cost_per_unit_nanos,
                                const CancelScope* scope,
                                absl::FunctionRef<void(int64_t, int64_t)> fn) {
  if (total <= 0) return OkStatus();
  const int64_t size = ShardSize(total, cost_per_unit_nanos, width_);
  const int64_t shards = total / size + (total % size != 0);
  std::atomic<int64_t> next{0};
  const auto work = [&](int, int) {
    while (true) {
      const int64_t shard = next.fetch_add(1, std::memory_order_relaxed);
      if (shard >= shards || (scope && scope->cancelled())) return;
      const int64_t begin = shard * size;
      try {
        fn(begin, std::min(total - begin, size) + begin);
      } catch (...) {
        next.store(shards, std::memory_order_relaxed);  // skip the rest
        throw;
      }
    }
  };
  if (shards == 1 || width_ == 1) {
    work(0, 1);
  } else {
    const int most = static_cast<int>(std::min<int64_t>(width_, shards));
    const double cost =
        static_cast<double>(total) * static_cast<double>(cost_per_unit_nanos);
    (cost < kMinAskedNanos   ? ReserveSpinning(most)
     : cost < kMinWokenNanos ? ReserveAwake(most)
                             : Reserve(most))
        .Share(work);
  }
  return scope ? scope->status() : OkStatus();
}

void ParallelFor(int64_t total, int64_t cost_per_unit_nanos,
                 absl::FunctionRef<void(int64_t begin, int64_t end)> fn) {
  Lanes::Process().intra_op.ParallelFor(total, cost_per_unit_nanos, fn);
}

}  // namespace millrace
