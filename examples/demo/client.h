// A replica's client: builds its graph and trains on its worker.
#pragma once

#include "examples/demo/demo_options.h"

namespace millrace::demo {

// Speaks with the launcher over stdin and stdout (message.h) until the training
// is done or stopped. The exit code: 0, or 1 after an error.
int RunClient(const DemoOptions& options, const ClientOptions& client);

}  // namespace millrace::demo
