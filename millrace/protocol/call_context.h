// CallContext: what a call carries besides its request.
#pragma once

#include <cstdint>
#include <string>

#include "millrace/base/clock.h"
#include "millrace/base/threads/cancel.h"

namespace millrace {

// Lives from the start of the call until its Done was called.
struct CallContext {
  Deadline deadline;  // absolute, passed on unchanged
  // Cancelled when the caller gives up, is gone, or the deadline passes. May
  // be null (nobody will cancel).
  CancelScope* cancel = nullptr;
  // Who calls, for messages: an address, or a task's name in one process.
  std::string peer;
  // Who the caller has proved to be; empty: nothing was asked of it.
  std::string identity;
  // Of the request where it has one, else 0.
  int64_t request_id = 0;

  // OK, or why the call should end.
  Status Check() const {
    if (cancel != nullptr && cancel->cancelled()) return cancel->status();
    if (deadline.expired())
      return DeadlineExceeded("the call's deadline has passed");
    return OkStatus();
  }
};

}  // namespace millrace
