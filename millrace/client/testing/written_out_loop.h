// For tests: compares gradients of a loop with those of its unrolled body.
#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include "millrace/client/gradients.h"
#include "millrace/client/session.h"
#include "millrace/client/while_loop.h"

namespace millrace::loop_gradients {

using Outputs = std::vector<Output>;

inline std::vector<double> Values(const Tensor& t) {
  std::vector<double> values;
  if (t.dtype() == DataType::kDouble) {
    for (double v : t.flat<double>()) values.push_back(v);
  } else {
    for (float v : t.flat<float>()) values.push_back(v);
  }
  return values;
}

inline SessionOptions Devices(int count) {
  SessionOptions options;
  options.config.device_count["CPU"] = count;
  return options;
}

inline Output Loss(const Scope& s, const Outputs& state) {
  Output loss;
  for (const Output& value : state) {
    const Output part =
        ops::Sum(s, ops::Reshape(s, ops::Square(s, value), {-1}), {0});
    loss = loss ? ops::AddV2(s, loss, part) : part;
  }
  return loss;
}

struct Case {
  std::vector<Literal> begin;
  std::vector<Literal> parameters;
  std::function<Outputs(const Scope& s, const Output& i, const Outputs& state,
                        const Outputs& parameters)>
      step;
  int iterations = 5;
  int parallel = 10;
  ops::GradientsOptions options = {};
};

// Compares gradients with respect to the initial values and the parameters, of
// a loop and of the unrolled one. An error shows where they differ.
inline Status CompareWithWrittenOut(const Case& c) {
  const Scope s = Scope::NewRoot();
  Outputs begin, parameters;
  for (const Literal& value : c.begin)
    begin.push_back(ops::Const(s.WithOpName("begin"), value));
  for (const Literal& value : c.parameters)
    parameters.push_back(ops::Const(s.WithOpName("w"), value));
  Outputs variables = begin;
  variables.push_back(ops::Const(s, 0));
  const Outputs last = ops::WhileLoop(
      s, variables,
      [&](const Scope& b, const Outputs& v) {
        return ops::Less(b, v.back(), c.iterations);
      },
      [&](const Scope& b, const Outputs& v) {
        const Output i = v.back();
        Outputs next =
            c.step(b, i, Outputs(v.begin(), v.end() - 1), parameters);
        next.push_back(ops::AddV2(b, i, 1));
        return next;
      },
      {.parallel_iterations = c.parallel});
  MR_RETURN_IF_ERROR(s.status());
  Outputs written_out = begin;
  for (int i = 0; i < c.iterations; ++i)
    written_out = c.step(s, ops::Const(s, i), written_out, parameters);
  Outputs xs = begin;
  xs.insert(xs.end(), parameters.begin(), parameters.end());
  const Outputs loop_state(last.begin(), last.end() - 1);
  const auto loop = ops::Gradients(s, {Loss(s, loop_state)}, xs, c.options);
  const auto plain = ops::Gradients(s, {Loss(s, written_out)}, xs, c.options);
  MR_RETURN_IF_ERROR(s.status());
  Session session(s, Devices(3));
  for (size_t i = 0; i < xs.size(); ++i) {
    const Output ours = ops::ToTensor(s, loop[i]);
    const Output expected = ops::ToTensor(s, plain[i]);
    // The loop cannot tell that a gradient is zero.
    if (!expected) continue;
    if (!ours) return Internal("x ", i, " has no gradient");
    if (loop[i].is_slices() != plain[i].is_slices())
      return Internal("x ", i, ": one of the gradients is slices");
    MR_ASSIGN_OR_RETURN(const auto out, session.Run({ours, expected}));
    const std::vector<double> got = Values(out[0]), want = Values(out[1]);
    if (got.size() != want.size())
      return Internal("x ", i, ": ", got.size(), " elements");
    for (size_t k = 0; k < got.size(); ++k) {
      if (std::abs(got[k] - want[k]) <= 1e-5 * (1 + std::abs(want[k])))
        continue;
      return Internal("x ", i, ", element ", k, " is ", got[k],
                      ", written out ", want[k]);
    }
  }
  return OkStatus();
}

}  // namespace millrace::loop_gradients
