// Makes C++ of preprocessed device text.
#pragma once

#include <string>
#include <vector>

namespace millrace::cuda::standin {

// Takes the words out that prelude's macros have left: `standin_global`, which
// marks kernels, and `standin_shared`, of variables that a block shares.
// Appends to `entries` the names of the kernels that are extern "C".
std::string RewriteDeviceText(const std::string& text,
                              std::vector<std::string>* entries);

// Returns the definition of `standin_module` with these entries, which follows
// a text.
std::string ModuleDefinition(const std::vector<std::string>& entries);

}  // namespace millrace::cuda::standin
