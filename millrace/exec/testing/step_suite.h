// StepFixture: a graph of the test ops and the device that its steps run on.
#pragma once

#include <memory>

#include "millrace/exec/testing/graphs.h"

namespace millrace {

// Used together with testing::Test. Build the graph `g_`, then run plans of it.
// Resets the test kernels.
class StepFixture {
 protected:
  StepFixture() { TestKernels::Reset(); }
  std::shared_ptr<const Plan> Build() {
    auto plan = BuildTestPlan(g_.graph(), device_);
    MR_CHECK(plan.ok(), plan.status().ToString());
    return *plan;
  }
  // Runs the step on a pool of its own, and returns its status.
  Status RunOnPool(TestRun& run) {
    ThreadPool pool("test", 4);
    return run.Run(Build(), &pool);
  }

  TestDevice device_;
  TestGraph g_;
};

}  // namespace millrace
