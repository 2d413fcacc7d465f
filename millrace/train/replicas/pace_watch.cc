#include "millrace/train/replicas/pace_watch.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace millrace::train {

PaceWatch::Verdict PaceWatch::Look(const ReplicaRecords& records, int64_t now,
                                   int64_t waits_since) {
  const std::vector<ReplicaRecord>& all = records.replicas;
  const auto self = static_cast<size_t>(limits_.replica);
  const int64_t own = all[self].clock;
  const bool is_first = seen_.empty();
  seen_.resize(all.size());
  Verdict verdict;
  int64_t least = own;
  bool some_left = false;
  for (size_t r = 0; r < all.size(); ++r) {
    const ReplicaRecord& record = all[r];
    Seen& seen = seen_[r];
    some_left = some_left || (seen.state == ReplicaState::kTrains &&
                              record.state != ReplicaState::kTrains);
    if (is_first || seen.state != record.state || seen.clock != record.clock)
      seen = {record.state, record.clock, now};
    if (r == self || record.state != ReplicaState::kTrains) continue;
    if (record.clock < least) verdict.slowest.clear();
    if (record.clock <= least && record.clock < own - limits_.max_ahead)
      verdict.slowest.push_back(static_cast<int64_t>(r));
    least = std::min(least, record.clock);
  }
  verdict.up_to = least + limits_.max_ahead;
  for (Seen& seen : seen_) {
    if (some_left) seen.since = now;
  }
  for (const int64_t r : verdict.slowest) {
    const int64_t since =
        std::max(seen_[static_cast<size_t>(r)].since, waits_since);
    if (now - since >= limits_.too_long_nanos) verdict.stuck.push_back(r);
  }
  return verdict;
}

std::string PaceWatch::Describe(const ReplicaRecords& records,
                                const Verdict& verdict) const {
  const bool is_one = verdict.slowest.size() == 1;
  const auto first = static_cast<size_t>(verdict.slowest.front());
  return absl::StrCat(
      is_one ? "replica " : "replicas ", absl::StrJoin(verdict.slowest, ", "),
      ", at step ", records.replicas[first].clock, " of ",
      is_one ? "its" : "their", " own; this one is at step ",
      records.replicas[static_cast<size_t>(limits_.replica)].clock,
      " and may be ", limits_.max_ahead, " ahead");
}

}  // namespace millrace::train
