#include "tests/gpu/standin/block_runner.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/gpu/standin/settings.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace millrace::cuda::standin {
namespace {

// Errors of the driver.
constexpr int kTimeout = 702;

// Read by the handler of signals, too, so it has a fixed place.
__attribute__((tls_model("initial-exec"))) thread_local BlockRunner* running =
    nullptr;

constexpr unsigned long long kNobody = 0xdeadbeefdeadbeefull;
constexpr size_t kAlignment = 128;
constexpr size_t kRedzoneBytes = 256;

struct ThreadLocals {
  const void* inside;  // an address of the library
  char* begin = nullptr;
  size_t bytes = 0;
};

int FindThreadLocals(dl_phdr_info* info, size_t, void* argument) {
  auto* wanted = static_cast<ThreadLocals*>(argument);
  const auto address = reinterpret_cast<uintptr_t>(wanted->inside);
  bool here = false;
  size_t bytes = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + part.p_vaddr;
    here |= part.p_type == PT_LOAD && begin <= address &&
            address < begin + part.p_memsz;
    if (part.p_type == PT_TLS) bytes = part.p_memsz;
  }
  if (!here) return 0;
  wanted->begin = static_cast<char*>(info->dlpi_tls_data);
  wanted->bytes = wanted->begin != nullptr ? bytes : 0;
  return 1;
}

}  // namespace

BlockRunner* BlockRunner::Running() { return running; }

BlockRunner::BlockRunner() = default;

unsigned BlockRunner::BarrierOf(int predicate, unsigned* waiting) {
  return running->Barrier(predicate, waiting);
}
const unsigned long long* BlockRunner::ExchangeOf(unsigned mask,
                                                  unsigned long long value) {
  return running->Exchange(mask, value);
}
void BlockRunner::FailOf(int error) { running->Fail(error); }

int BlockRunner::Run(const Launch& launch, StandInDim block) {
  Reset(launch, block);
  running = this;
  current_ = TakeNext();
  main_.HandOver(*lanes_[static_cast<size_t>(current_)]->fiber);
  running = nullptr;
  if (error_ != 0) {
    // Their threads have not ended, and never will.
    lanes_.clear();
    idle_.clear();
    ready_.clear();
    at_barrier_.clear();
  }
  return error_;
}

void BlockRunner::Reset(const Launch& launch, StandInDim block) {
  static const StandInDevice device = {&BarrierOf, &ExchangeOf, &FailOf};
  launch_ = &launch;
  thread_.block = block;
  thread_.block_size = launch.block;
  thread_.grid_size = launch.grid;
  total_ = launch.block.x * launch.block.y * launch.block.z;
  next_ = ended_ = arrived_ = predicates_ = 0;
  error_ = 0;
  warps_.assign((total_ + 31) / 32, Warp());
  order_.clear();
  const uint64_t seed = GetSettings().thread_seed;
  random_ = 0;
  if (seed != 0) {
    random_ = seed * 0x9e3779b97f4a7c15ull + block.x * 0x2545f491ull + 1;
    for (unsigned i = 0; i < total_; ++i) order_.push_back(i);
    for (unsigned i = total_; i > 1; --i)
      std::swap(order_[i - 1], order_[Random() % i]);
  }
  if (module_number_ != launch.module_number) {
    module_number_ = launch.module_number;
    launch.module->begin(&thread_, &device);
    ThreadLocals found{launch.module->entries};
    dl_iterate_phdr(&FindThreadLocals, &found);
    shared_ = found.begin;
    shared_bytes_ = found.bytes;
  }
  FillShared();
  launch.module->begin(&thread_, &device);
}

// Nobody may count on what is in shared memory when a block begins.
void BlockRunner::FillShared() {
  if (shared_bytes_ > 0) std::memset(shared_, 0xff, shared_bytes_);
  const size_t bytes = launch_->shared_bytes;
#ifdef __SANITIZE_ADDRESS__
  __asan_unpoison_memory_region(dynamic_shared_.data(), dynamic_shared_.size());
#endif
  if (dynamic_shared_.size() < bytes + kAlignment + kRedzoneBytes)
    dynamic_shared_.resize(bytes + kAlignment + kRedzoneBytes);
  auto address = reinterpret_cast<uintptr_t>(dynamic_shared_.data());
  address = (address + kAlignment - 1) / kAlignment * kAlignment;
  thread_.dynamic_shared = reinterpret_cast<void*>(address);
  std::memset(thread_.dynamic_shared, 0xff, bytes);
#ifdef __SANITIZE_ADDRESS__
  char* end = static_cast<char*>(thread_.dynamic_shared) + bytes;
  __asan_poison_memory_region(
      end, static_cast<size_t>(dynamic_shared_.data() + dynamic_shared_.size() -
                               end));
#endif
}

void BlockRunner::FiberMain(void* runner) {
  auto* self = static_cast<BlockRunner*>(runner);
  for (;;) self->RunThreads();
}

// Begins threads as long as there are some; then this fiber is idle.
void BlockRunner::RunThreads() {
  const int mine = current_;
  while (next_ < total_ && (random_ == 0 || ready_.empty() || Random() % 4)) {
    const unsigned thread = order_.empty() ? next_ : order_[next_];
    ++next_;
    BeginThread(thread);
    launch_->entry->run(launch_->arguments);
    EndThread(thread);
  }
  idle_.push_back(mine);
  const int next = TakeNext();
  if (next == mine) return;
  if (next < 0 && ended_ != total_) {
    ReportWait();
    error_ = kTimeout;
  }
  if (next >= 0) current_ = next;
  Fiber& to = next < 0 ? main_ : *lanes_[static_cast<size_t>(next)]->fiber;
  lanes_[static_cast<size_t>(mine)]->fiber->HandOver(to);
}

int BlockRunner::TakeNext() {
  const bool may_begin = next_ < total_;
  if (!ready_.empty() && !(may_begin && random_ != 0 && Random() % 2)) {
    if (random_ != 0)
      std::swap(ready_.front(), ready_[Random() % ready_.size()]);
    const int next = ready_.front();
    ready_.pop_front();
    return next;
  }
  if (!may_begin) return -1;
  if (idle_.empty()) {
    auto lane = std::make_unique<Lane>();
    lane->fiber = std::make_unique<Fiber>(&FiberMain, this);
    lanes_.push_back(std::move(lane));
    return static_cast<int>(lanes_.size()) - 1;
  }
  const int next = idle_.back();
  idle_.pop_back();
  return next;
}

void BlockRunner::Suspend() {
  const int mine = current_;
  Lane& lane = *lanes_[static_cast<size_t>(mine)];
  const int next = TakeNext();
  if (next < 0) {
    ReportWait();
    Fail(kTimeout);
  }
  if (next != mine) {
    current_ = next;
    lane.fiber->HandOver(*lanes_[static_cast<size_t>(next)]->fiber);
    current_ = mine;
  }
  SetThread(lane.thread);
}

void BlockRunner::ReportWait() const {
  std::fprintf(
      stderr,
      "stand-in: %s waits forever: threads of block (%u,%u,%u) wait at "
      "different barriers or warp functions\n",
      launch_->entry->name, thread_.block.x, thread_.block.y, thread_.block.z);
}

void BlockRunner::Fail(int error) {
  error_ = error;
  lanes_[static_cast<size_t>(current_)]->fiber->HandOver(main_);
  std::abort();
}

void BlockRunner::SetThread(unsigned thread) {
  const StandInDim& size = launch_->block;
  thread_.number = thread;
  thread_.thread = {thread % size.x, thread / size.x % size.y,
                    thread / size.x / size.y};
}

void BlockRunner::BeginThread(unsigned thread) {
  lanes_[static_cast<size_t>(current_)]->thread = thread;
  SetThread(thread);
}

void BlockRunner::EndThread(unsigned thread) {
  Warp& warp = warps_[thread / 32];
  warp.ended |= 1u << thread % 32;
  ++ended_;
  for (Gather& gather : warp.gathers) CompleteIfAll(warp, gather);
  if (arrived_ > 0 && arrived_ == total_ - ended_) CompleteBarrier();
}

unsigned BlockRunner::Barrier(int predicate, unsigned* waiting) {
  ++arrived_;
  predicates_ += predicate != 0;
  if (arrived_ == total_ - ended_) {
    CompleteBarrier();
  } else {
    at_barrier_.push_back(current_);
    Suspend();
  }
  // The next one cannot be complete before this thread is there, too.
  *waiting = last_arrived_;
  return last_predicates_;
}

void BlockRunner::CompleteBarrier() {
  last_arrived_ = arrived_;
  last_predicates_ = predicates_;
  arrived_ = predicates_ = 0;
  ready_.insert(ready_.end(), at_barrier_.begin(), at_barrier_.end());
  at_barrier_.clear();
}

const unsigned long long* BlockRunner::Exchange(unsigned mask,
                                                unsigned long long value) {
  Warp& warp = warps_[thread_.number / 32];
  const unsigned lane = thread_.number % 32, bit = 1u << lane;
  const unsigned in_warp = std::min(32u, total_ - thread_.number / 32 * 32);
  mask = (mask | bit) & (in_warp == 32 ? ~0u : (1u << in_warp) - 1);
  auto gather = std::find_if(
      warp.gathers.begin(), warp.gathers.end(), [&](const Gather& g) {
        return g.mask == mask && !g.complete && !(g.arrived & bit);
      });
  if (gather == warp.gathers.end()) {
    gather = warp.gathers.emplace(gather);
    gather->mask = mask;
    std::fill(gather->values, gather->values + 32, kNobody);
  }
  gather->values[lane] = value;
  gather->arrived |= bit;
  CompleteIfAll(warp, *gather);
  if (!gather->complete) {
    gather->waiting.push_back(current_);
    Suspend();
  }
  auto& exchanged = lanes_[static_cast<size_t>(current_)]->exchanged;
  std::memcpy(exchanged, gather->values, sizeof(gather->values));
  exchanged[32] = gather->took_part;
  gather->readers &= ~bit;
  if (gather->readers == 0) warp.gathers.erase(gather);
  return exchanged;
}

void BlockRunner::CompleteIfAll(const Warp& warp, Gather& gather) {
  if (gather.complete ||
      ((gather.arrived | warp.ended) & gather.mask) != gather.mask)
    return;
  gather.complete = true;
  gather.took_part = gather.readers = gather.arrived;
  ready_.insert(ready_.end(), gather.waiting.begin(), gather.waiting.end());
}

unsigned BlockRunner::Random() {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return static_cast<unsigned>(random_ >> 32);
}

}  // namespace millrace::cuda::standin
