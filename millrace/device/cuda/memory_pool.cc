#include "millrace/device/cuda/memory_pool.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "millrace/base/check.h"
#include "millrace/base/log.h"

namespace millrace::cuda {
namespace {

size_t RoundUpTo(size_t bytes, size_t step) {
  return (bytes + step - 1) / step * step;
}

// Returns "1.50GiB (1610612736 bytes)".
std::string PoolBytes(int64_t bytes) {
  const double b = static_cast<double>(bytes);
  if (bytes >= int64_t{1} << 30)
    return absl::StrFormat("%.2fGiB (%d bytes)", b / (1 << 30), bytes);
  if (bytes >= 1 << 20)
    return absl::StrFormat("%.2fMiB (%d bytes)", b / (1 << 20), bytes);
  return absl::StrCat(bytes, " bytes");
}

}  // namespace

class MemoryPool::Block {
 public:
  uint64_t address = 0;
  size_t size = 0;
  bool is_free = false;
  Region* region = nullptr;
  // The neighbours in the region; null at its ends.
  Block* before = nullptr;
  Block* behind = nullptr;
  std::string user;
};

struct MemoryPool::Region {
  uint64_t address = 0;
  size_t size = 0;
  int64_t in_use = 0;
  int64_t empty_since = 0;
  Block* first = nullptr;  // the same from beginning to end: it absorbs others
};

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
  Deadline deadline;
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
    if (adding_region_) {
      if (deadline.infinite()) deadline = Deadline::AfterMillis(60'000);
      // What another thread brings may do for both.
      if (region_added_.WaitUntil(mu_, deadline)) {
        return Unavailable(
            "the driver has not answered a request for memory of ",
            source_->Name(), " within 60 s");
      }
      continue;
    }
    const Status added = AddRegion(bytes, lock);
    if (!added.ok()) {
      if (added.code() != StatusCode::kResourceExhausted) return added;
      // Meanwhile others may have freed what is needed.
      if (free_.lower_bound({bytes, 0}) != free_.end()) continue;
      return OutOfMemory(bytes, added);
    }
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
  if (region.in_use == 0 && options_.grows) {
    region.empty_since = NowNanos();
    ArmTimer();
  }
}

StatusOr<uint64_t> MemoryPool::TakeRegion(size_t least, size_t* size) {
  StatusOr<uint64_t> address = source_->Take(*size);
  // As in stock: somebody else may have a part of the memory.
  const bool may_shrink = options_.grows || options_.takes_less;
  int tries = 0;
  while (!address.ok()) {
    if (address.status().code() != StatusCode::kResourceExhausted) break;
    if (!options_.grows && tries == 0) {
      MR_LOG_EVERY_SECONDS(Warning, 10)
          << "failed to allocate " << PoolBytes(static_cast<int64_t>(*size))
          << " from device: " << address.status().message();
    }
    if (!may_shrink) break;
    size_t smaller = *size / 10 * 9;
    // Nearly all that is there, the first time; others may take some meanwhile.
    const int64_t there = tries++ == 0 ? source_->FreeBytes() : -1;
    if (there > 0 && static_cast<size_t>(there) < *size) {
      smaller = static_cast<size_t>(there) / 32 * 31;
    }
    smaller = smaller / kAlignment * kAlignment;
    if (smaller < least) smaller = least;
    if (smaller >= *size) break;
    *size = smaller;
    address = source_->Take(*size);
  }
  return address;
}

Status MemoryPool::AddRegion(size_t bytes, MutexLock& lock) {
  const size_t room = options_.limit_bytes - region_bytes_;
  const bool has_room = options_.grows ? bytes <= room : regions_.empty();
  if (!has_room) return ResourceExhausted("");
  size_t size = options_.limit_bytes;
  if (options_.grows) {
    size = options_.first_region_bytes;
    for (const auto& region : regions_) {
      size = std::max(size, 2 * region->size);
    }
    size = std::min(std::max(size, RoundUpTo(bytes, size_t{2} << 20)), room);
  }
  adding_region_ = true;
  lock.Unlock();
  const StatusOr<uint64_t> address = TakeRegion(bytes, &size);
  lock.Lock();
  adding_region_ = false;
  region_added_.NotifyAll();
  MR_RETURN_IF_ERROR(address.status());
  regions_.push_back(std::make_unique<Region>());
  Region* const region = regions_.back().get();
  region->address = *address;
  region->size = size;
  region_bytes_ += size;
  Block* const block = NewBlock();
  block->address = *address;
  block->size = size / kAlignment * kAlignment;
  block->is_free = true;
  block->region = region;
  region->first = block;
  free_.emplace(FreeKey(block->size, block->address), block);
  return OkStatus();
}

void MemoryPool::ReturnEmpty(int64_t nanos) {
  std::vector<std::unique_ptr<Region>> victims;
  {
    MutexLock lock(mu_);
    timer_armed_ = false;
    bool has_younger = false;
    for (auto it = regions_.begin(); it != regions_.end();) {
      Region& region = **it;
      if (region.in_use > 0 || region.empty_since > nanos) {
        has_younger |= region.in_use == 0;
        ++it;
        continue;
      }
      // All of it is one free block.
      free_.erase(FreeKey(region.first->size, region.first->address));
      unused_.emplace_back(region.first);
      region_bytes_ -= region.size;
      victims.push_back(std::move(*it));
      it = regions_.erase(it);
    }
    if (has_younger) ArmTimer();
  }
  for (const auto& region : victims) {
    source_->Give(region->address, region->size);
  }
}

void MemoryPool::ArmTimer() {
  if (lanes_ == nullptr || timer_armed_) return;
  timer_armed_ = true;
  lanes_->timer.RunAt(Deadline::After(kKeepEmptyNanos),
                      [weak = weak_from_this(), lanes = lanes_] {
                        // The driver may wait for the device, which the timer
                        // must not.
                        lanes->blocking.Schedule([weak] {
                          if (const auto pool = weak.lock()) {
                            pool->ReturnEmpty(NowNanos() - kKeepEmptyNanos);
                          }
                        });
                      });
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
