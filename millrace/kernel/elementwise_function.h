// ElementwiseFunction: an op that computes each element of its output from the
// elements at the same place of its inputs, as a function of spans. What lets
// several such ops run block by block, in one pass over memory.
#pragma once

#include <cstdint>
#include <memory>

#include "millrace/base/status.h"

namespace millrace {

class KernelInit;

// Immutable: many threads at once.
class ElementwiseFunction {
 public:
  static constexpr int kMaxInputs = 2;

  // `broadcasts`: an input may have one element for all of the others'; else
  // inputs have one shape. `no_result` is the message where Run gives false,
  // `cost_picos` the time of an element of float.
  ElementwiseFunction(int num_inputs, bool broadcasts, int cost_picos,
                      const char* no_result)
      : num_inputs_(num_inputs),
        broadcasts_(broadcasts),
        cost_picos_(cost_picos),
        no_result_(no_result) {}
  virtual ~ElementwiseFunction() = default;

  // out[i] = f(in[0][i], in[1][i]) for i < n. Bit k of `scalars`: input k has
  // one element for all i; never set for all inputs unless n is 1. `out` may
  // be one of `in` if elements are of one size. False: an element has no
  // result, and `out` is undefined.
  virtual bool Run(const char* const* in, uint32_t scalars, char* out,
                   int64_t n) const = 0;

  int num_inputs() const { return num_inputs_; }
  bool broadcasts() const { return broadcasts_; }
  int cost_picos() const { return cost_picos_; }
  const char* no_result() const { return no_result_; }

 private:
  const int num_inputs_;
  const bool broadcasts_;
  const int cost_picos_;
  const char* const no_result_;
};

// For nodes whose inputs and output are of plain types.
using ElementwiseMaker =
    StatusOr<std::unique_ptr<ElementwiseFunction>> (*)(const KernelInit&);

}  // namespace millrace
