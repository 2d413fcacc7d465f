// Our registry and kernels as JSON, to be compared with the stock wheel's.
#pragma once

#include <string>

#include "tests/cases/suite.h"

namespace millrace::cases {

// {"ops": {name: schema}, "kernels": {op: [{attr: [dtype numbers]}]},
//  "gradients": {op: true, or false for MR_NO_GRADIENT},
//  "cases": {op: {"count": n, "types": {attr: [dtype numbers]}}}}
std::string SchemaJson(const Suite& suite);

}  // namespace millrace::cases
