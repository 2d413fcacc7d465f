// Gradients that go to the devices of their variables in fewer bytes than their
// own.
//
//   const auto sent = OnTheWire(s, rule.ComputeGradients(s, loss),
//                               {.form = GradientWire::Form::kTopK,
//                                .fraction = 0.01});
//   const Operation train_op =
//       rule.ApplyGradients(s, sent, {.global_step = step});
//
// Replicas do it by the option `wire` of SyncReplicasOptions and
// AsyncReplicasOptions. What arrives are gradients of the same types and
// shapes, so every optimizer, accumulator and clipping takes them. The bytes
// that a task has sent and received are in `millrace status`.
#pragma once

#include <cstdint>
#include <vector>

#include "millrace/train/optimizers/optimizer.h"

namespace millrace::train {

struct GradientWire {
  enum class Form {
    kFloat,  // as they are
    // Half of the bytes of a float, a quarter of a double's: rounded to a
    // significand of 8 bits. Of rows, the values are; their indices stay.
    kBfloat16,
    // Only the elements of largest magnitude, with their places: twice
    // `fraction` of the bytes. What is not sent stays in a residual and is
    // added to the next gradient, so that it is sent later and nothing is lost.
    // Rows (sparse gradients) go as they are: they are few already, and a
    // residual would be as large as the whole table. Gradient descent, also
    // with a momentum of 0.5, learns as well from 1 % as from all; with a
    // momentum of 0.9, as Adam has, what arrives once goes on for long, which
    // costs some 2 % of accuracy (dense layers on Fashion-MNIST).
    kTopK
  };
  Form form = Form::kFloat;
  // The part of n elements that kTopK sends: max(1, ceil(fraction * n)).
  // 0 < fraction <= 1.
  double fraction = 0.01;
  // kTopK sends gradients of at most so many elements as they are, such as
  // those of biases, which fit into one packet of a network; also those of
  // which it would choose half or more.
  int64_t whole_up_to = 256;
};

// Returns gradients as they arrive at their variables' devices: cast or chosen
// on the device of the op that computes them, restored beside the variable,
// where a dense one is dense again. Gradients that are none, and types that
// have no shorter form (for kBfloat16 those of 16 bits, for both what is no
// real floating-point number), are returned unchanged.
//
// A gradient that is NaN somewhere arrives as one: for kTopK NaN is larger than
// any number, and infinity than all finite ones. A residual keeps finite
// elements only, so that one bad step, even with a gradient that is NaN
// throughout, spoils no gradient of a later one: what is NaN or infinite and
// was not sent is forgotten.
//
// A residual is a resource variable VARIABLE/gradient_residual, one for each
// gradient of each call, on the device of the op that computes the gradient: a
// replica has its own. It is in graph_keys::kLocalVariables, so it is in no
// checkpoint, and it begins with zeros: programs without a MonitoredSession run
// LocalVariablesInitializer. Where only steps know the size of a gradient, it
// begins anew with zeros when that is another than in the step before. Its
// steps come one after the other; of steps that run at the same time one may
// overwrite what the other left. A gradient that is dropped on its way, as one
// of an older step, takes what it has with it.
//
// Errors go to the scope: INVALID_ARGUMENT for a fraction or a size outside of
// the bounds above. Nothing is returned then.
std::vector<GradientAndVariable> OnTheWire(
    const Scope& scope, const std::vector<GradientAndVariable>& gradients,
    const GradientWire& wire);

}  // namespace millrace::train
