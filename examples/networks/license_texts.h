// The texts of Debian's licenses.
#pragma once

#include <string>
#include <vector>

#include "millrace/millrace.h"

namespace millrace::networks {

// Those of the folder (empty: where Debian has them) that are no links, by
// name. NOT_FOUND without any.
StatusOr<std::vector<std::string>> LoadLicenses(const std::string& folder);

}  // namespace millrace::networks
