// MemoryPool: the memory of a GPU, or pinned memory of the host, in regions
// from the driver that are cut into blocks.
//
// Blocks are found by best fit; free neighbours are joined. A pool that grows
// takes regions of doubling sizes and returns those that were empty for ten
// seconds, and earlier where an allocation has no room beside them. Another one
// takes a single region when it is first asked; if that had to be less than the
// limit, it takes more as others give it back.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/strings/string_view.h"
#include "millrace/base/status.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/base/threads/thread.h"

namespace millrace::cuda {

// Where the regions of a pool come from. Thread-safe.
class MemorySource {
 public:
  virtual ~MemorySource() = default;
  // Returns the address of memory that is aligned to MemoryPool::kAlignment;
  // RESOURCE_EXHAUSTED, with the driver's error, if there is none.
  virtual StatusOr<uint64_t> Take(size_t bytes) = 0;
  // Gives such memory back. May wait for work that uses it.
  virtual void Give(uint64_t address, size_t bytes) = 0;
  // Returns the bytes that Take could still have; -1: unknown.
  virtual int64_t FreeBytes() = 0;
  // Names the memory in messages: "GPU 0".
  virtual std::string Name() const = 0;
};

struct MemoryPoolOptions {
  size_t limit_bytes = 0;
  bool grows = false;
  // Whether a pool that does not grow takes less than its limit if the source
  // has not so much.
  bool takes_less = false;
  size_t first_region_bytes = size_t{2} << 20;  // of one that grows
};

// Thread-safe. Must be held by a shared_ptr, and outlive its blocks.
class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
 public:
  class Block;

  static constexpr size_t kAlignment = 256;
  static constexpr int64_t kKeepEmptyNanos = 10'000'000'000;
  static constexpr int64_t kAwaitHeldMillis = 10'000;

  // Regions are given back by the timer and the blocking pool of `lanes`, which
  // must outlive the pool's use; null: only by ReturnEmpty and allocations.
  MemoryPool(std::unique_ptr<MemorySource> source,
             const MemoryPoolOptions& options, Lanes* lanes);
  ~MemoryPool();

  // Returns a block of at least `bytes` bytes. If only what work under way
  // holds (Hold) is missing, waits for that, at most kAwaitHeldMillis.
  // RESOURCE_EXHAUSTED names the bytes, what is free and the users that hold
  // most. `user` is the node that asks.
  StatusOr<Block*> Allocate(size_t bytes, absl::string_view user);
  void Free(Block* block);

  // Says that work under way holds `bytes` of allocated blocks and will free
  // them soon, without any thread that allocates.
  void Hold(size_t bytes);
  // Takes that back, behind the frees.
  void EndHold(size_t bytes);

  static uint64_t AddressOf(const Block* block);
  static size_t SizeOf(const Block* block);

  // Gives back the regions that have been empty since `nanos` of NowNanos() or
  // longer.
  void ReturnEmpty(int64_t nanos);

  struct Stats {
    int64_t in_use_bytes = 0;
    int64_t peak_bytes = 0;
    int64_t region_bytes = 0;  // taken from the source
    int64_t largest_free_bytes = 0;
    int64_t regions = 0;
  };
  Stats stats() const;
  size_t limit_bytes() const { return options_.limit_bytes; }

 private:
  struct Region;
  using Regions = std::vector<std::unique_ptr<Region>>;
  using FreeKey = std::pair<size_t, uint64_t>;  // size, address

  // Takes a region in which `bytes` have room. Requires: the lock is held; it
  // is released during the calls of the source.
  Status AddRegion(size_t bytes, MutexLock& lock);
  // Calls the source, without the lock. `is_first`: the pool has no region.
  StatusOr<uint64_t> TakeRegion(size_t least, bool is_first, size_t* size);
  // The same two for the way back: takes those regions out that have been empty
  // since `nanos`, and gives them back.
  Regions TakeOutEmpty(int64_t nanos);
  void GiveBack(const Regions& regions, MutexLock& lock);
  // Gives back all empty regions if `bytes` would then be within the limit.
  // Returns whether there were some. Requires what AddRegion does.
  bool MakeRoom(size_t bytes, MutexLock& lock);
  // Waits until something is freed, if what is held would be enough. Returns
  // false without waiting if it would not, or if the deadline has passed, which
  // the first wait sets.
  bool AwaitHeld(size_t bytes, Deadline* deadline);
  Block* Cut(Block* block, size_t bytes);
  Block* NewBlock();
  Status OutOfMemory(size_t bytes, const Status& cause);
  std::string LargestUsers() const;
  void ArmTimer();

  const std::unique_ptr<MemorySource> source_;
  const MemoryPoolOptions options_;
  Lanes* const lanes_;

  mutable Mutex mu_;
  // A thread takes regions from the source or gives some back. Meanwhile others
  // that need more than what is free wait: they would count what they cannot
  // have yet.
  bool asks_source_ = false;
  CondVar source_answered_;
  CondVar freed_;
  int awaiting_ = 0;  // threads that wait for freed_
  bool timer_armed_ = false;
  absl::btree_map<FreeKey, Block*> free_;
  Regions regions_;
  std::vector<std::unique_ptr<Block>> unused_;  // for reuse
  int64_t in_use_ = 0;
  int64_t held_ = 0;  // of in_use_, by work under way; some perhaps twice
  int64_t peak_ = 0;
  size_t region_bytes_ = 0;
};

}  // namespace millrace::cuda
