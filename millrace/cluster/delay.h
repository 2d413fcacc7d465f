// RunAfter: a pause of an asynchronous state machine.
#pragma once

#include "absl/functional/any_invocable.h"
#include "millrace/base/clock.h"
#include "millrace/base/threads/cancel.h"
#include "millrace/base/threads/lanes.h"

namespace millrace {

// Runs `then` once on the control lane: at `when`, or as soon as `scope` is
// cancelled. `scope` lives until `then` runs, lanes until the time has passed.
void RunAfter(Lanes& lanes, CancelScope& scope, Deadline when,
              absl::AnyInvocable<void()> then);

}  // namespace millrace
