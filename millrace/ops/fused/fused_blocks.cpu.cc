#include "millrace/ops/fused/fused_blocks.h"

#include <algorithm>
#include <memory>

#include "millrace/base/memory/non_temporal.h"

namespace millrace::ops {
namespace {

constexpr size_t kLine = 64;

// Operands with more bytes come from memory. If there are several, one stage
// reads its part of a block, the next one its own; if blocks are short, the
// processor's prefetchers see all of them as streams that continue (Tanh and
// its gradient of 16 MB on two cores take 2.1 ms, with blocks of kBlock 2.6).
constexpr size_t kFromMemoryBytes = size_t{4} << 20;
constexpr int64_t kShortBlock = FusedBlocks::kBlock / 2;

// The memory time for a byte, of a core's share.
constexpr int kPicosPerByte = 200;

// The memory for results of a block.
struct alignas(kLine) CacheLine {
  char bytes[kLine];
};

}  // namespace

bool FusedBlocks::JoinsLast(const Stage& stage, Pass* joined) const {
  if (passes_.empty() || passes_.back().pair != nullptr) return false;
  const Stage& first = passes_.back().stage;
  if (first.readers != 1 || first.out != nullptr) return false;
  // Sets the step and the operand beside `value`, along which the loop runs.
  // Returns false if there is no such loop.
  const auto along = [](const Stage& s, int value, PairStep* step,
                        Operand* beside) {
    step->op = s.pair_op;
    if (!IsBinary(s.pair_op)) return true;
    if (value == 1 && s.pair_op == PairOp::kSub) return false;
    *beside = s.in[1 - value];
    step->vector = (s.scalars & (uint32_t{1} << (1 - value))) == 0;
    return true;
  };
  const auto is_first = [&](const Operand& in) {
    return in.data == nullptr && in.stage == passes_.back().number;
  };
  const int value = is_first(stage.in[0]) ? 0 : 1;
  if (IsBinary(stage.pair_op) ? !is_first(stage.in[value]) : value != 0) {
    return false;
  }
  const int x = IsBinary(first.pair_op) && (first.scalars & 1) ? 1 : 0;
  PairStep a, b;
  joined->stage = stage;
  joined->pair_in[0] = first.in[x];
  if (!along(first, x, &a, &joined->pair_in[1]) ||
      !along(stage, value, &b, &joined->pair_in[2])) {
    return false;
  }
  joined->pair = FindPairLoop(a, b);
  return joined->pair != nullptr;
}

void FusedBlocks::Add(const Stage& stage) {
  cost_picos_ += stage.function->cost_picos();
  Pass pass;
  if (JoinsLast(stage, &pass)) {
    pass.number = num_stages_;
    passes_.back() = pass;
  } else {
    passes_.push_back({stage, num_stages_, nullptr, {}});
  }
  ++num_stages_;
  for (int i = 0; i < stage.function->num_inputs(); ++i) {
    const Operand& in = stage.in[i];
    if (in.data == nullptr || in.step == 0) continue;
    if (std::none_of(streams_.begin(), streams_.end(),
                     [&](const Operand& s) { return s.data == in.data; })) {
      streams_.push_back(in);
    }
  }
}

void FusedBlocks::Finish() {
  size_t touched = 0;
  for (const Operand& s : streams_) touched += s.step;
  for (const Pass& pass : passes_) {
    if (!pass.stage.in_place) touched += pass.stage.out_bytes;
  }
  // If computing takes longer than memory transfers, non-temporal stores gain
  // nothing.
  const bool moves = cost_picos_ < kPicosPerByte * static_cast<int>(touched);
  touched *= static_cast<size_t>(total_);
  non_temporal_ = moves && IsNonTemporalFaster(touched, WaitsFor::kMemory);
  if (streams_.size() > 1 && touched > kFromMemoryBytes) block_ = kShortBlock;
}

void FusedBlocks::Fail(size_t index) {
  size_t before = failed_.load(std::memory_order_relaxed);
  while (index < before && !failed_.compare_exchange_weak(before, index)) {
  }
}

void FusedBlocks::Run(int64_t begin, int64_t end) {
  const size_t lines =
      (static_cast<size_t>(std::min(total_, block_)) * element_bytes_ + kLine -
       1) /
      kLine;
  const std::unique_ptr<CacheLine[]> room(
      new CacheLine[lines * num_registers_]);
  // The addresses of the block of each stage's result.
  absl::InlinedVector<char*, 16> results(num_stages_);
  for (int64_t at = begin; at < end; at += block_) {
    const int64_t n = std::min(block_, end - at);
    const auto block_of = [&](const Operand& x) -> const char* {
      return x.data == nullptr ? results[x.stage]
                               : x.data + static_cast<size_t>(at) * x.step;
    };
    for (const Pass& pass : passes_) {
      const Stage& stage = pass.stage;
      char* const to =
          stage.out == nullptr
              ? nullptr
              : stage.out + static_cast<size_t>(at) * stage.out_bytes;
      const bool non_temporal = IsNonTemporal(stage);
      char* const z = to == nullptr || non_temporal
                          ? (room.get() + stage.reg * lines)->bytes
                          : to;
      results[pass.number] = z;
      if (pass.pair != nullptr) {
        const float* in[3];
        for (int i = 0; i < 3; ++i) {
          in[i] = reinterpret_cast<const float*>(block_of(pass.pair_in[i]));
        }
        pass.pair(in[0], in[1], in[2], reinterpret_cast<float*>(z), n);
      } else {
        const char* in[ElementwiseFunction::kMaxInputs];
        for (int i = 0; i < stage.function->num_inputs(); ++i) {
          in[i] = block_of(stage.in[i]);
        }
        if (!stage.function->Run(in, stage.scalars, z, n)) Fail(stage.index);
      }
      if (non_temporal) {
        NonTemporalCopy(z, to, static_cast<size_t>(n) * stage.out_bytes);
      }
    }
  }
  if (non_temporal_) NonTemporalFence();
}

}  // namespace millrace::ops
