// What is measured on a GPU. torch_bench.py does the same under the same names.
#pragma once

#include <vector>

#include "absl/functional/function_ref.h"
#include "millrace/base/clock.h"
#include "tests/gpu_check/row.h"

namespace millrace::gpu_check {

// Hands each row to `done` as it comes; those that the deadline leaves no time
// for have an error. `small`: sizes for the stand-in, whose times mean nothing.
void RunBenchmarks(bool small, Deadline deadline,
                   absl::FunctionRef<void(Row)> done);

}  // namespace millrace::gpu_check
