// The regions of a MemoryPool: taken from the source, and given back.
#include <algorithm>

#include "millrace/base/log.h"
#include "millrace/device/cuda/memory_pool_blocks.h"

namespace millrace::cuda {

StatusOr<uint64_t> MemoryPool::TakeRegion(size_t least, bool is_first,
                                          size_t* size) {
  if (!options_.grows && !is_first) {
    // What others have given back since. As the first region did, it leaves
    // some to the driver.
    const int64_t there = source_->FreeBytes();
    const auto left = static_cast<int64_t>(options_.limit_bytes / 32);
    if (there >= 0) {
      const size_t spare =
          static_cast<size_t>(std::max<int64_t>(0, there - left));
      if (spare < least) return ResourceExhausted("others hold the rest");
      *size = std::min(*size, spare / kAlignment * kAlignment);
    }
  }
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
  const bool is_first = regions_.empty();
  const bool may_be_several = options_.grows || options_.takes_less;
  if (may_be_several ? bytes > room : !is_first) return ResourceExhausted("");
  size_t size = room;
  if (options_.grows) {
    size = options_.first_region_bytes;
    for (const auto& region : regions_) {
      size = std::max(size, 2 * region->size);
    }
    size = std::min(std::max(size, RoundUpTo(bytes, size_t{2} << 20)), room);
  }
  asks_source_ = true;
  lock.Unlock();
  const StatusOr<uint64_t> address = TakeRegion(bytes, is_first, &size);
  lock.Lock();
  asks_source_ = false;
  source_answered_.NotifyAll();
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

MemoryPool::Regions MemoryPool::TakeOutEmpty(int64_t nanos) {
  Regions taken_out;
  for (auto it = regions_.begin(); it != regions_.end();) {
    Region& region = **it;
    if (region.in_use > 0 || region.empty_since > nanos) {
      ++it;
      continue;
    }
    // All of it is one free block.
    free_.erase(FreeKey(region.first->size, region.first->address));
    unused_.emplace_back(region.first);
    region_bytes_ -= region.size;
    taken_out.push_back(std::move(*it));
    it = regions_.erase(it);
  }
  return taken_out;
}

void MemoryPool::GiveBack(const Regions& regions, MutexLock& lock) {
  if (regions.empty()) return;
  asks_source_ = true;
  lock.Unlock();
  for (const auto& region : regions) {
    source_->Give(region->address, region->size);
  }
  lock.Lock();
  asks_source_ = false;
  source_answered_.NotifyAll();
}

bool MemoryPool::MakeRoom(size_t bytes, MutexLock& lock) {
  size_t in_others = 0;
  for (const auto& region : regions_) {
    if (region->in_use > 0) in_others += region->size;
  }
  if (in_others == region_bytes_ || bytes > options_.limit_bytes - in_others) {
    return false;
  }
  GiveBack(TakeOutEmpty(INT64_MAX), lock);
  return true;
}

void MemoryPool::ReturnEmpty(int64_t nanos) {
  MutexLock lock(mu_);
  timer_armed_ = false;
  // Another thread asks the source: this can wait for the next time.
  if (!asks_source_) GiveBack(TakeOutEmpty(nanos), lock);
  for (const auto& region : regions_) {
    if (region->in_use == 0) return ArmTimer();
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

}  // namespace millrace::cuda
