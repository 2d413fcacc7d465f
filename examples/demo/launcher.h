// The launcher: a cluster of server processes, one client process a worker.
#pragma once

#include "examples/demo/demo_options.h"

namespace millrace::demo {

// Trains to the end and prints what came out. Lost ps are started again; the
// training goes on without workers that are lost. Leaves no process behind. The
// exit code: 0; 1 if the training did not come to its end; 3 if it did, without
// some of its workers; 130 after Ctrl-C.
int RunLauncher(const DemoOptions& options);

}  // namespace millrace::demo
