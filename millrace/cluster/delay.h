// RunAfter: the delay of an asynchronous state machine.
#pragma once

#include "absl/functional/any_invocable.h"
#include "millrace/base/clock.h"
#include "millrace/base/threads/cancel.h"
#include "millrace/base/threads/lanes.h"

namespace millrace {

// Runs `then` once on the control lane: at `when`, or as soon as `scope` is
// cancelled. `scope` must live until `then` runs, `lanes` until `when`.
void RunAfter(Lanes& lanes, CancelScope& scope, Deadline when,
              absl::AnyInvocable<void()> then);

}  // namespace millrace
