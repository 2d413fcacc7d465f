// Lets this process find the stand-in for CUDA's libraries.
#pragma once

namespace millrace::cuda {

// Sets the environment that loaders of the libraries read, unless it says
// something else already: the stand-in's folder, four cards of 256 MB, and a
// folder for compiled code that goes with the build; all cards are visible. To
// be called before anything loads the driver, by the first test that does.
void UseStandIn();

}  // namespace millrace::cuda
