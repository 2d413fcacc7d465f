// StepFixture: a graph of the test ops and the device that its steps run on.
#pragma once

#include <memory>

#include "millrace/exec/testing/graphs.h"

namespace millrace {

// Beside testing::Test. Build the graph `g_`, then run plans of it. The test
// kernels begin anew.
class StepFixture {
 protected:
  StepFixture() { TestKernels::Reset(); }
  std::shared_ptr<const Plan> Build() {
    auto plan = BuildTestPlan(g_.graph(), device_);
    MR_CHECK(plan.ok(), plan.status().ToString());
    return *plan;
  }
  // The step's end with these args, on a pool of its own.
  Status RunOnPool(TestRun& run) {
    ThreadPool pool("test", 4);
    return run.Run(Build(), &pool);
  }

  TestDevice device_;
  TestGraph g_;
};

}  // namespace millrace
