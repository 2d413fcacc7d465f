#include "millrace/ops/math/fused_blocks.h"

#include <algorithm>
#include <memory>

#include "millrace/base/past_caches.h"

namespace millrace::ops {
namespace {

constexpr size_t kLine = 64;

// More than this does not stay in a core's own caches.
constexpr size_t kPrefetchBytes = size_t{256} << 10;

// Where results of a block lie.
struct alignas(kLine) CacheLine {
  char bytes[kLine];
};

}  // namespace

void FusedBlocks::Add(const Stage& stage) {
  stages_.push_back(stage);
  for (int i = 0; i < stage.function->num_inputs(); ++i) {
    const Operand& in = stage.in[i];
    if (in.data == nullptr || in.step == 0) continue;
    if (std::none_of(streams_.begin(), streams_.end(),
                     [&](const Operand& s) { return s.data == in.data; })) {
      streams_.push_back(in);
    }
  }
}

void FusedBlocks::Finish(bool in_place) {
  size_t touched = result_bytes_;
  for (const Operand& s : streams_) touched += s.step;
  touched *= static_cast<size_t>(total_);
  past_caches_ = !in_place && PaysPastCaches(touched);
  prefetches_ = touched > kPrefetchBytes;
}

void FusedBlocks::Fail(size_t index) {
  size_t before = failed_.load(std::memory_order_relaxed);
  while (index < before && !failed_.compare_exchange_weak(before, index)) {
  }
}

void FusedBlocks::Prefetch(int64_t at, int64_t n, size_t part,
                           size_t parts) const {
  for (const Operand& s : streams_) {
    const char* const block = s.data + static_cast<size_t>(at) * s.step;
    const size_t bytes = static_cast<size_t>(n) * s.step;
    const size_t end = bytes * (part + 1) / parts;
    for (size_t i = bytes * part / parts / kLine * kLine; i < end; i += kLine) {
      __builtin_prefetch(block + i);
    }
  }
}

void FusedBlocks::Run(int64_t begin, int64_t end) {
  const size_t lines =
      (static_cast<size_t>(std::min(total_, kBlock)) * element_bytes_ + kLine -
       1) /
      kLine;
  // One more for the result, where that is not written at once.
  const std::unique_ptr<CacheLine[]> room(
      new CacheLine[lines * (num_registers_ + 1)]);
  const auto register_at = [&](size_t reg) {
    return (room.get() + reg * lines)->bytes;
  };
  for (int64_t at = begin; at < end; at += kBlock) {
    const int64_t n = std::min(kBlock, end - at);
    // The memory works while the stages compute.
    const int64_t next = prefetches_ ? std::min(kBlock, end - at - n) : 0;
    char* const to = result_ + static_cast<size_t>(at) * result_bytes_;
    for (size_t s = 0; s < stages_.size(); ++s) {
      const Stage& stage = stages_[s];
      if (next > 0) Prefetch(at + n, next, s, stages_.size());
      const char* in[ElementwiseFunction::kMaxInputs];
      for (int i = 0; i < stage.function->num_inputs(); ++i) {
        const Operand& x = stage.in[i];
        in[i] = x.data == nullptr ? register_at(x.reg)
                                  : x.data + static_cast<size_t>(at) * x.step;
      }
      const bool last = s + 1 == stages_.size();
      char* const z = !last          ? register_at(stage.reg)
                      : past_caches_ ? register_at(num_registers_)
                                     : to;
      if (!stage.function->Run(in, stage.scalars, z, n)) Fail(stage.index);
    }
    if (past_caches_) {
      CopyPastCaches(register_at(num_registers_), to,
                     static_cast<size_t>(n) * result_bytes_);
    }
  }
  if (past_caches_) FencePastCaches();
}

}  // namespace millrace::ops
