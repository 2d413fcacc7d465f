#include "millrace/ops/fused/fused_pairs.h"

#include <array>
#include <cstddef>
#include <iterator>
#include <utility>

#include "millrace/base/target_clones.h"

namespace millrace::ops {
// Function clones need external linkage.
namespace fused_pairs {

// The steps that have loops; others are of no use in practice.
constexpr PairStep kSteps[] = {{.op = PairOp::kMul, .vector = true},
                               {.op = PairOp::kMul, .vector = false},
                               {.op = PairOp::kAdd, .vector = true},
                               {.op = PairOp::kAdd, .vector = false},
                               {.op = PairOp::kSub, .vector = true},
                               {.op = PairOp::kSub, .vector = false},
                               {.op = PairOp::kRelu, .vector = false},
                               {.op = PairOp::kSquare, .vector = false}};
constexpr size_t kNumSteps = std::size(kSteps);

constexpr bool IsProduct(PairOp op) {
  return op == PairOp::kMul || op == PairOp::kSquare;
}
constexpr bool IsSum(PairOp op) {
  return op == PairOp::kAdd || op == PairOp::kSub;
}

template <PairOp kOp>
inline float Do(float v, float operand) {
  switch (kOp) {
    case PairOp::kMul:
      return v * operand;
    case PairOp::kAdd:
      return v + operand;
    case PairOp::kSub:
      return v - operand;
    case PairOp::kRelu:
      return v <= 0 ? 0 : v;  // NaN stays NaN
    case PairOp::kSquare:
      return v * v;
    case PairOp::kNone:
      break;
  }
  return v;
}

template <size_t kFirst, size_t kSecond>
MR_TARGET_CLONES void LoopOverPair(const float* x, const float* y,
                                   const float* w, float* z, int64_t n) {
  constexpr PairStep a = kSteps[kFirst], b = kSteps[kSecond];
  const float y0 = IsBinary(a.op) && !a.vector ? *y : 0;
  const float w0 = IsBinary(b.op) && !b.vector ? *w : 0;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    float ys = y0, ws = w0;
    if constexpr (a.vector) ys = y[i];
    if constexpr (b.vector) ws = w[i];
    z[i] = Do<b.op>(Do<a.op>(x[i], ys), ws);
  }
}

template <size_t kFirst, size_t kSecond>
constexpr PairLoop kLoop = IsProduct(kSteps[kFirst].op) &&
                                   IsSum(kSteps[kSecond].op)
                               ? nullptr
                               : &LoopOverPair<kFirst, kSecond>;

template <size_t... kPairs>
constexpr std::array<PairLoop, sizeof...(kPairs)> LoopsOf(
    std::index_sequence<kPairs...>) {
  return {kLoop<kPairs / kNumSteps, kPairs % kNumSteps>...};
}
constexpr auto kLoops =
    LoopsOf(std::make_index_sequence<kNumSteps * kNumSteps>());

// Returns kNumSteps if there is no such step.
inline size_t IndexOf(PairStep step) {
  size_t i = 0;
  while (i < kNumSteps &&
         (kSteps[i].op != step.op || kSteps[i].vector != step.vector)) {
    ++i;
  }
  return i;
}

}  // namespace fused_pairs

PairOp PairOpOf(absl::string_view op, DataType type) {
  if (type != DataType::kFloat) return PairOp::kNone;
  if (op == "Mul") return PairOp::kMul;
  if (op == "Add" || op == "AddV2") return PairOp::kAdd;
  if (op == "Sub") return PairOp::kSub;
  if (op == "Relu") return PairOp::kRelu;
  if (op == "Square") return PairOp::kSquare;
  return PairOp::kNone;
}

PairLoop FindPairLoop(PairStep first, PairStep second) {
  using fused_pairs::kNumSteps;
  const size_t a = fused_pairs::IndexOf(first);
  const size_t b = fused_pairs::IndexOf(second);
  return a < kNumSteps && b < kNumSteps ? fused_pairs::kLoops[a * kNumSteps + b]
                                        : nullptr;
}

}  // namespace millrace::ops
