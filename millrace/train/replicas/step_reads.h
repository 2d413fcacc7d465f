// When a step of a replica reads the global step: before its parameters, and
// when its gradients are there. Private to train/.
#pragma once

#include <string>
#include <vector>

#include "millrace/train/optimizers/optimizer.h"

namespace millrace::train {

// Returns the value that the variable has when this runs, after the control
// dependencies of `scope`. A plain read of a reference is a view, which later
// updates change.
Output ValueOfNow(const Scope& scope, const ops::Variable& variable);

Output AsInt64(const Scope& scope, const Output& number);

// Returns the task part of an op's device, "/job:ps/replica:0/task:1"; "" if it
// names none.
std::string TaskOf(const Operation& op);
// Returns whether two ops were placed on one task, by the devices that they
// name.
bool OnOneTask(const Operation& a, const Operation& b);

// Makes the reads of variables that the gradients depend on wait for `first`,
// where they are on its task: that sends nothing. Reads that have control
// inputs already, and those of initializers and of all else that no gradient
// needs, stay as they are.
void ReadAfter(const Operation& first,
               const std::vector<GradientAndVariable>& gradients);

// Gradients that are to be applied, and what has run when they are there.
struct ArrivedGradients {
  std::vector<GradientAndVariable> gradients;
  std::vector<ControlInput> here;  // those of variables on a task
  // One op that runs when the others have been computed; none without others.
  // To wait for it on that task costs a transfer.
  std::vector<ControlInput> elsewhere;
};
// `sent` are the gradients that were `computed`, as they arrive at their
// variables; the task is that of `at`. Ops are built in `block`.
ArrivedGradients AwaitGradients(
    const Scope& block, const Operation& at,
    const std::vector<GradientAndVariable>& computed,
    std::vector<GradientAndVariable> sent);

}  // namespace millrace::train
