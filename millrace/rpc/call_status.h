// The statuses that transports themselves give, so that a failure reads the
// same over every transport.
#pragma once

#include "absl/strings/string_view.h"
#include "millrace/base/status.h"
#include "millrace/protocol/method.h"

namespace millrace {

// UNAVAILABLE: nobody could be reached at `address`; the call had no effect.
Status CannotConnect(absl::string_view address, absl::string_view reason);
// UNAVAILABLE "... connection reset": the connection broke under the call,
// whose effect is unknown. `detail` may be empty.
Status ConnectionReset(absl::string_view address, absl::string_view detail);
// DEADLINE_EXCEEDED at the caller.
Status CallTimedOut(const Method& method, absl::string_view address);
// UNAVAILABLE: `address` has begun to shut down.
Status ShuttingDown(absl::string_view address);

// What leaves a server for `status` of a handler: methods of the master never
// say UNAVAILABLE (see StatusForClient), and messages have a limit.
Status ReplyStatus(const Method& method, const Status& status);

}  // namespace millrace
