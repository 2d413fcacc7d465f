// SplitDense: a fully connected layer that is cut over devices (vertical
// slices).
//
//   const std::vector<std::string> devices = {"/job:worker/task:0",
//                                             "/job:worker/task:1"};
//   SplitTensor y = SplitDense(v, x, 4096, devices, {.activation = ops::Relu});
//   y = SplitDense(v, y, 4096, devices, {.cut = DenseCut::kInputs});
//   Output whole = Join(s, y);
//
// The kernel is a variable in parts (PartitionedVariable), one on each device.
// Names and checkpoints are those of Dense: a checkpoint of the whole layer
// restores into the split one, and the other way round. To begin with the
// values of the whole layer, give SlicesOfWhole(initializer) with a seed.
//
// Gradients are computed beside the parts if they are asked for with
// `colocate_with_ops` (GradientsOptions), as
// rule.Minimize(s, loss, {.gradients = {.colocate_with_ops = true}}) does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "millrace/client/variables/variable_scope.h"
#include "millrace/train/layers/activation.h"
#include "millrace/train/layers/split_tensor.h"

namespace millrace::train {

enum class DenseCut {
  // Each device has some of the units: it needs all inputs, and its outputs are
  // a slice of the layer's, which stays there.
  kUnits,
  // Each device has some of the inputs of all units: it needs a slice of the
  // inputs, and the last device adds up what they give. The slices of a layer
  // that is cut by units are those that it needs, so that nothing but sums
  // travels from the one to the other.
  kInputs,
};

struct SplitDenseOptions {
  DenseCut cut = DenseCut::kUnits;
  // As in DenseOptions.
  Activation activation;
  bool use_bias = true;
  Initializer kernel_initializer;
  Initializer bias_initializer;
  Regularizer kernel_regularizer;
  Regularizer bias_regularizer;
  bool trainable = true;
  std::string name;  // empty: "dense", "dense_1", ...
};

// Maps x [..., n], in one piece or split, to [..., units]: by units as one
// slice of the last dimension on each device, by inputs in one piece on the
// last device. Values and gradients are those of Dense with the same kernel and
// bias, up to the order in which sums are taken. Devices are device blocks
// within those of `variables`; the first ones have one unit or input more if
// there are not equally many for all. No device, fewer units or inputs than
// devices, and a shared kernel that is cut otherwise are errors of the graph,
// INVALID_ARGUMENT; the result is then empty.
//
// Variables: "dense/kernel/part_0" ... in parts; "dense/bias" by units in parts
// too, by inputs in one piece on the last device.
SplitTensor SplitDense(const VariableScope& variables, const SplitTensor& x,
                       int64_t units, const std::vector<std::string>& devices,
                       const SplitDenseOptions& options = {});

}  // namespace millrace::train
