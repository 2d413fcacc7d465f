// CallContext: the properties of a call besides its request.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "millrace/base/clock.h"
#include "millrace/base/threads/cancel.h"

namespace millrace {

// Lives from the start of the call until its Done was called.
struct CallContext {
  Deadline deadline;  // absolute, passed on unchanged
  // Cancelled when the caller gives up or is gone, or when the deadline passes.
  // May be null if the call is never cancelled.
  CancelScope* cancel = nullptr;
  // Returns the caller, for messages: an address, or the name of a task in the
  // same process. May be empty.
  std::function<std::string()> peer;
  // The caller's authenticated identity; empty if no authentication is
  // required.
  std::string identity;
  // The id of the request if it has one, otherwise 0.
  int64_t request_id = 0;

  // Returns OK, or the reason why the call should end.
  Status Check() const {
    if (cancel != nullptr && cancel->cancelled()) return cancel->status();
    if (deadline.expired())
      return DeadlineExceeded("the call's deadline has passed");
    return OkStatus();
  }
};

}  // namespace millrace
