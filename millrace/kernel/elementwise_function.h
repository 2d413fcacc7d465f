// ElementwiseFunction: an op that computes each element of its output from the
// elements at the same position of its inputs, as a function of spans. Several
// such ops can run block by block, in one pass over memory.
#pragma once

#include <cstdint>
#include <memory>

#include "millrace/base/status.h"

namespace millrace {

class KernelInit;

// Immutable: many threads may use it at once.
class ElementwiseFunction {
 public:
  static constexpr int kMaxInputs = 2;

  // If `broadcasts` is true, an input may have one element for all elements of
  // the others; otherwise all inputs have the same shape. (One input alone:
  // true.) `no_result` is the message if Run returns false; "" if it never
  // does. `cost_picos` is the time of one element of type float, by measurement
  // or as of a neighbour: 250 for plain arithmetic, 400 to 900 with one exp.
  ElementwiseFunction(int num_inputs, bool broadcasts, int cost_picos,
                      const char* no_result)
      : num_inputs_(num_inputs),
        broadcasts_(broadcasts),
        cost_picos_(cost_picos),
        no_result_(no_result) {}
  virtual ~ElementwiseFunction() = default;

  // Computes out[i] = f(in[0][i], in[1][i]) for i < n. Bit k of `scalars` is
  // set if input k has one element for all i; it is never set for all inputs
  // unless n is 1. `out` may be one of `in` if the elements have the same size.
  // Returns false if an element has no result; `out` is then undefined.
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

// Makes the function of a node whose inputs and output are of plain types.
using ElementwiseMaker =
    StatusOr<std::unique_ptr<ElementwiseFunction>> (*)(const KernelInit&);

}  // namespace millrace
