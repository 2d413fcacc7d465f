#include "millrace/base/threads/wait.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "millrace/base/clock.h"
#include "millrace/base/sim/sim_hooks.h"
#include "millrace/base/threads/thread.h"

namespace millrace {

// Doubly linked lists of the live scopes, several so that threads rarely
// contend. Not our Mutex: naming a wait must not be a switch point.
struct WaitTable {
  struct alignas(64) Shard {
    std::mutex mu;
    WaitScope* first = nullptr;
  };
  static constexpr int kShards = 16;

  static Shard& Of(uint64_t sequence) { return shards[sequence % kShards]; }

  static void Insert(WaitScope* w) {
    Shard& shard = Of(w->sequence_);
    std::lock_guard<std::mutex> lock(shard.mu);
    w->previous_ = nullptr;
    w->next_ = shard.first;
    if (shard.first) shard.first->previous_ = w;
    shard.first = w;
  }

  static void Remove(WaitScope* w) {
    Shard& shard = Of(w->sequence_);
    std::lock_guard<std::mutex> lock(shard.mu);
    if (w->next_) w->next_->previous_ = w->previous_;
    (w->previous_ ? w->previous_->next_ : shard.first) = w->next_;
  }

  static std::string Text(const WaitScope& w) {
    if (w.unit_ == nullptr) return w.what_;
    const int64_t missing = w.missing_.load(std::memory_order_relaxed);
    return absl::StrCat(w.what_, ": ", missing, " ", w.unit_,
                        missing == 1 ? "" : "s", " missing");
  }

  static std::vector<WaitInfo> List(uint64_t world) {
    std::vector<std::pair<uint64_t, WaitInfo>> found;
    for (Shard& shard : shards) {
      std::lock_guard<std::mutex> lock(shard.mu);
      for (const WaitScope* w = shard.first; w; w = w->next_) {
        if (w->world_ != world) continue;
        found.emplace_back(w->sequence_,
                           WaitInfo{w->thread_name_, w->thread_id_, Text(*w),
                                    w->since_nanos_});
      }
    }
    std::sort(found.begin(), found.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<WaitInfo> result;
    result.reserve(found.size());
    for (auto& [sequence, info] : found) result.push_back(std::move(info));
    return result;
  }

  static constinit Shard shards[kShards];
  static constinit std::atomic<uint64_t> next_sequence;
};

constinit WaitTable::Shard WaitTable::shards[WaitTable::kShards];
constinit std::atomic<uint64_t> WaitTable::next_sequence{1};

WaitScope::WaitScope(absl::string_view what) : WaitScope(what, nullptr, 0) {}

WaitScope::WaitScope(absl::string_view what, const char* unit, int64_t missing)
    : sequence_(
          WaitTable::next_sequence.fetch_add(1, std::memory_order_relaxed)),
      world_(internal::SimWorldId()),
      thread_id_(CurrentThreadId()),
      since_nanos_(NowNanos()),
      thread_name_(CurrentThreadName()),
      what_(what),
      unit_(unit),
      missing_(missing) {
  WaitTable::Insert(this);
}

WaitScope::~WaitScope() { WaitTable::Remove(this); }

std::vector<WaitInfo> ListWaits() {
  return WaitTable::List(internal::SimWorldId());
}

}  // namespace millrace
