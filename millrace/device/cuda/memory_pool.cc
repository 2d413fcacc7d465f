#include "millrace/device/cuda/memory_pool.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "millrace/base/check.h"
#include "millrace/device/cuda/memory_pool_blocks.h"

namespace millrace::cuda {

std::string PoolBytes(int64_t bytes) {
  const double b = static_cast<double>(bytes);
  if (bytes >= int64_t{1} << 30)
    return absl::StrFormat("%.2fGiB (%d bytes)", b / (1 << 30), bytes);
  if (bytes >= 1 << 20)
    return absl::StrFormat("%.2fMiB (%d bytes)", b / (1 << 20), bytes);
  return absl::StrCat(bytes, " bytes");
}

MemoryPool::MemoryPool(std::unique_ptr<MemorySource> source,
                       const MemoryPoolOptions& options, Lanes* lanes)
    : source_(std::move(source)), options_(options), lanes_(lanes) {}

MemoryPool::~MemoryPool() {
  MR_CHECK(in_use_ == 0, "a pool outlives its blocks");
  for (const auto& region : regions_) {
    delete region->first;
    source_->Give(region->address, region->size);
  }
}

uint64_t MemoryPool::AddressOf(const Block* block) { return block->address; }
size_t MemoryPool::SizeOf(const Block* block) { return block->size; }

MemoryPool::Block* MemoryPool::NewBlock() {
  if (unused_.empty()) return new Block;
  Block* const block = unused_.back().release();
  unused_.pop_back();
  *block = Block();
  return block;
}

StatusOr<MemoryPool::Block*> MemoryPool::Allocate(size_t bytes,
                                                  absl::string_view user) {
  // Above the limit also where rounding would overflow.
  const bool too_large = bytes > options_.limit_bytes;
  bytes = too_large ? bytes : RoundUpTo(std::max<size_t>(bytes, 1), kAlignment);
  Deadline answered_by, freed_by;
  MutexLock lock(mu_);
  while (true) {
    const auto it = too_large ? free_.end() : free_.lower_bound({bytes, 0});
    if (it != free_.end()) {
      Block* block = it->second;
      free_.erase(it);
      block = Cut(block, bytes);
      block->is_free = false;
      block->user.assign(user.data(), user.size());
      const int64_t size = static_cast<int64_t>(block->size);
      block->region->in_use += size;
      in_use_ += size;
      peak_ = std::max(peak_, in_use_);
      return block;
    }
    if (too_large) return OutOfMemory(bytes, OkStatus());
    if (asks_source_) {
      if (answered_by.infinite()) answered_by = Deadline::AfterMillis(60'000);
      // What another thread brings may do for both.
      if (source_answered_.WaitUntil(mu_, answered_by)) {
        return Unavailable("the driver has not answered about memory of ",
                           source_->Name(), " within 60 s");
      }
      continue;
    }
    const Status added = AddRegion(bytes, lock);
    if (added.ok()) continue;
    if (added.code() != StatusCode::kResourceExhausted) return added;
    // Meanwhile others may have freed what is needed.
    if (free_.lower_bound({bytes, 0}) != free_.end()) continue;
    if (MakeRoom(bytes, lock)) continue;
    if (AwaitHeld(bytes, &freed_by)) continue;
    const Status error = OutOfMemory(bytes, added);
    if (!freed_by.expired()) return error;
    return Annotate(error, absl::StrCat("; waited ", kAwaitHeldMillis / 1000,
                                        " s for copies to end"));
  }
}

// Makes `block`, which is in no list, as small as `bytes`; the rest is free.
MemoryPool::Block* MemoryPool::Cut(Block* block, size_t bytes) {
  if (block->size - bytes < kAlignment) return block;
  Block* const rest = NewBlock();
  rest->address = block->address + bytes;
  rest->size = block->size - bytes;
  rest->is_free = true;
  rest->region = block->region;
  rest->before = block;
  rest->behind = block->behind;
  if (rest->behind != nullptr) rest->behind->before = rest;
  block->behind = rest;
  block->size = bytes;
  free_.emplace(FreeKey(rest->size, rest->address), rest);
  return block;
}

void MemoryPool::Free(Block* block) {
  MutexLock lock(mu_);
  const int64_t size = static_cast<int64_t>(block->size);
  in_use_ -= size;
  Region& region = *block->region;
  region.in_use -= size;
  block->is_free = true;
  block->user.clear();
  // Joins `block` with the one behind it.
  const auto join = [this](Block* first) {
    Block* const second = first->behind;
    first->size += second->size;
    first->behind = second->behind;
    if (first->behind != nullptr) first->behind->before = first;
    unused_.emplace_back(second);
  };
  if (block->behind != nullptr && block->behind->is_free) {
    free_.erase(FreeKey(block->behind->size, block->behind->address));
    join(block);
  }
  if (block->before != nullptr && block->before->is_free) {
    block = block->before;
    free_.erase(FreeKey(block->size, block->address));
    join(block);
  }
  free_.emplace(FreeKey(block->size, block->address), block);
  if (awaiting_ > 0) freed_.NotifyAll();
  if (region.in_use == 0 && options_.grows) {
    region.empty_since = NowNanos();
    ArmTimer();
  }
}

void MemoryPool::Hold(size_t bytes) {
  MutexLock lock(mu_);
  held_ += static_cast<int64_t>(bytes);
}

void MemoryPool::EndHold(size_t bytes) {
  MutexLock lock(mu_);
  held_ -= static_cast<int64_t>(bytes);
  if (awaiting_ > 0) freed_.NotifyAll();
}

bool MemoryPool::AwaitHeld(size_t bytes, Deadline* deadline) {
  const int64_t all = static_cast<int64_t>(options_.grows ? options_.limit_bytes
                                                          : region_bytes_);
  const bool helps =
      held_ > 0 && static_cast<int64_t>(bytes) <= all - in_use_ + held_;
  if (!helps || deadline->expired()) return false;
  if (deadline->infinite()) *deadline = Deadline::AfterMillis(kAwaitHeldMillis);
  ++awaiting_;
  (void)freed_.WaitUntil(mu_, *deadline);
  --awaiting_;
  return true;
}

MemoryPool::Stats MemoryPool::stats() const {
  MutexLock lock(mu_);
  Stats stats;
  stats.in_use_bytes = in_use_;
  stats.peak_bytes = peak_;
  stats.region_bytes = static_cast<int64_t>(region_bytes_);
  stats.regions = static_cast<int64_t>(regions_.size());
  if (!free_.empty()) {
    stats.largest_free_bytes =
        static_cast<int64_t>(free_.rbegin()->first.first);
  }
  return stats;
}

std::string MemoryPool::LargestUsers() const {
  struct Use {
    int64_t bytes = 0;
    int blocks = 0;
  };
  std::map<absl::string_view, Use> uses;
  for (const auto& region : regions_) {
    const Block* block = region->first;
    for (; block != nullptr; block = block->behind) {
      if (block->is_free) continue;
      Use& use = uses[block->user];
      use.bytes += static_cast<int64_t>(block->size);
      ++use.blocks;
    }
  }
  std::vector<std::pair<int64_t, std::string>> texts;
  for (const auto& [user, use] : uses) {
    texts.emplace_back(-use.bytes,
                       absl::StrCat(user.empty() ? "(no node)" : user, " ",
                                    PoolBytes(use.bytes), " in ", use.blocks,
                                    " block", use.blocks == 1 ? "" : "s"));
  }
  std::sort(texts.begin(), texts.end());
  if (texts.size() > 5) texts.resize(5);
  return absl::StrJoin(texts, ", ", [](std::string* out, const auto& text) {
    absl::StrAppend(out, text.second);
  });
}

Status MemoryPool::OutOfMemory(size_t bytes, const Status& cause) {
  const int64_t limit = static_cast<int64_t>(options_.limit_bytes);
  const int64_t taken = static_cast<int64_t>(region_bytes_);
  const int64_t largest =
      free_.empty() ? 0 : static_cast<int64_t>(free_.rbegin()->first.first);
  std::string text = absl::StrCat(
      "asked were ", PoolBytes(static_cast<int64_t>(bytes)), " of ",
      source_->Name(), "; of the limit of ", PoolBytes(limit), ", ",
      PoolBytes(in_use_), " are in use and ",
      PoolBytes(options_.grows ? limit - in_use_ : taken - in_use_),
      " free, the largest block ", PoolBytes(largest));
  const std::string users = LargestUsers();
  if (!users.empty()) absl::StrAppend(&text, "; most is held by ", users);
  if (held_ > 0) {
    absl::StrAppend(&text, "; copies that are under way hold ",
                    PoolBytes(held_));
  }
  if (!cause.ok() && !cause.message().empty()) {
    absl::StrAppend(&text,
                    "; failed to allocate from device: ", cause.message());
    const int64_t left = source_->FreeBytes();
    if (left >= 0) {
      absl::StrAppend(&text, " (the device has ", PoolBytes(left), " free)");
    }
  }
  return ResourceExhausted(text);
}

}  // namespace millrace::cuda
