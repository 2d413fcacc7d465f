#include "millrace/cluster/master/run/run_cache.h"

#include <algorithm>

#include "absl/hash/hash.h"

namespace millrace {
namespace {

const std::string& NameOf(const std::string& name) { return name; }
const std::string& NameOf(const NamedTensor& feed) { return feed.name; }

template <class Feeds>
uint64_t HashOf(const Feeds& feeds, const std::vector<std::string>& fetches,
                const std::vector<std::string>& targets) {
  uint64_t hash = feeds.size() * 31 + fetches.size();
  const auto add = [&hash](absl::string_view name) {
    hash = (hash ^ absl::Hash<absl::string_view>()(name)) * 0x9E3779B97F4A7C15;
  };
  for (const auto& feed : feeds) add(NameOf(feed));
  for (const std::string& fetch : fetches) add(fetch);
  for (const std::string& target : targets) add(target);
  return hash;
}

template <class Feeds>
bool Equals(const RunSignature& s, const Feeds& feeds,
            const std::vector<std::string>& fetches,
            const std::vector<std::string>& targets) {
  return s.fetches == fetches && s.targets == targets &&
         std::equal(s.feeds.begin(), s.feeds.end(), feeds.begin(), feeds.end(),
                    [](const std::string& name, const auto& feed) {
                      return name == NameOf(feed);
                    });
}

template <class Feeds, class Runs>
Ref<PreparedRun> FindIn(const Runs& runs, const Feeds& feeds,
                        const std::vector<std::string>& fetches,
                        const std::vector<std::string>& targets) {
  const auto found = runs.find(HashOf(feeds, fetches, targets));
  if (found == runs.end()) return nullptr;
  for (const Ref<PreparedRun>& run : found->second) {
    if (Equals(run->signature, feeds, fetches, targets)) return run;
  }
  return nullptr;
}

}  // namespace

Ref<PreparedRun> RunCache::Find(const RunStepRequest& r) {
  return Used(FindIn(runs_, r.feeds, r.fetches, r.targets));
}

Ref<PreparedRun> RunCache::Find(const RunSignature& s) {
  return Used(FindIn(runs_, s.feeds, s.fetches, s.targets));
}

Ref<PreparedRun> RunCache::Used(Ref<PreparedRun> run) {
  if (run) run->last_use = ++uses_;
  return run;
}

std::vector<Ref<PreparedRun>> RunCache::Add(Ref<PreparedRun> run) {
  std::vector<Ref<PreparedRun>> gone;
  while (size_ >= max_runs_) {
    Ref<PreparedRun> oldest = TakeOldest();
    if (oldest == nullptr) break;
    gone.push_back(std::move(oldest));
  }
  const RunSignature& s = run->signature;
  auto& bucket = runs_[HashOf(s.feeds, s.fetches, s.targets)];
  bucket.push_back(Used(std::move(run)));
  ++size_;
  return gone;
}

Ref<PreparedRun> RunCache::TakeOldest() {
  Ref<PreparedRun>* oldest = nullptr;
  for (auto& [hash, bucket] : runs_) {
    for (Ref<PreparedRun>& run : bucket) {
      if (!run->IsUnique() || !run->ready()) continue;
      if (oldest == nullptr || run->last_use < (*oldest)->last_use) {
        oldest = &run;
      }
    }
  }
  return oldest != nullptr ? Remove(oldest->get()) : nullptr;
}

void RunCache::Clear() {
  runs_.clear();
  size_ = 0;
}

Ref<PreparedRun> RunCache::Remove(const PreparedRun* run) {
  const RunSignature& s = run->signature;
  const auto found = runs_.find(HashOf(s.feeds, s.fetches, s.targets));
  if (found == runs_.end()) return nullptr;
  auto& bucket = found->second;
  const auto place =
      std::find_if(bucket.begin(), bucket.end(),
                   [run](const auto& r) { return r.get() == run; });
  if (place == bucket.end()) return nullptr;
  Ref<PreparedRun> removed = std::move(*place);
  bucket.erase(place);
  --size_;
  if (bucket.empty()) runs_.erase(found);
  return removed;
}

RunSignature SignatureOf(const RunStepRequest& request) {
  RunSignature signature;
  signature.feeds.reserve(request.feeds.size());
  for (const NamedTensor& feed : request.feeds) {
    signature.feeds.push_back(feed.name);
  }
  signature.fetches = request.fetches;
  signature.targets = request.targets;
  return signature;
}

}  // namespace millrace
