// The statuses that the transports themselves produce, so that a failure reads
// the same over every transport.
#pragma once

#include "absl/strings/string_view.h"
#include "millrace/base/status.h"
#include "millrace/protocol/method.h"

namespace millrace {

// Returns UNAVAILABLE: no server could be reached at `address`; the call had no
// effect.
Status CannotConnect(absl::string_view address, absl::string_view reason);
// Returns UNAVAILABLE "... connection reset": the connection broke during the
// call, whose effect is unknown. `detail` may be empty.
Status ConnectionReset(absl::string_view address, absl::string_view detail);
// Returns DEADLINE_EXCEEDED, the status of a call whose deadline passed at the
// caller.
Status CallTimedOut(const Method& method, absl::string_view address);
// Returns UNAVAILABLE: the server at `address` has begun to shut down.
Status ShuttingDown(absl::string_view address);

// Returns the status that a server sends when a handler of `method` returned
// `status`: methods of the master never return UNAVAILABLE (see
// StatusForClient), and messages are truncated.
Status ReplyStatus(const Method& method, const Status& status);

}  // namespace millrace
