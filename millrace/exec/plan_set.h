// PlanSet: the plans of one process that run together as a step.
#pragma once

#include <memory>
#include <vector>

#include "millrace/base/threads/done.h"
#include "millrace/exec/kernel_cache.h"
#include "millrace/exec/step.h"
#include "millrace/graph/graph.h"

namespace millrace {

class PlanSet {
 public:
  // Builds one plan per device that `graph`'s nodes are assigned to; edges
  // between devices must be _Send/_Recv pairs already. `find_device` returns
  // the device with a full name, or null; `library` is as for KernelCache::Get.
  // Returns INVALID_ARGUMENT that names a node whose device is not in this
  // process.
  static StatusOr<std::shared_ptr<const PlanSet>> Build(
      const Graph& graph,
      absl::FunctionRef<Device*(absl::string_view)> find_device,
      KernelCache& kernels,
      const std::shared_ptr<const FunctionLibrary>& library = nullptr);
  // Does the same with the plans of partitions.
  static StatusOr<std::shared_ptr<const PlanSet>> FromPlans(
      std::vector<std::shared_ptr<const Plan>> plans);

  int num_args() const { return num_args_; }
  int num_retvals() const { return num_retvals_; }
  bool all_cheap() const { return all_cheap_; }
  size_t num_nodes() const { return num_nodes_; }
  size_t num_devices() const { return plans_.size(); }
  const std::vector<std::shared_ptr<const Plan>>& plans() const {
    return plans_;
  }

  // Runs all plans as one step; `done` is called after the last of them, with
  // the first underived error. `run` is as for RunPlan: its retvals must have
  // room for num_retvals(). They are bound then: a fetched variable has its
  // value after the last plan.
  static void Run(std::shared_ptr<const PlanSet> plans, const PlanRun& run,
                  Done done);

 private:
  std::vector<std::shared_ptr<const Plan>> plans_;
  int num_args_ = 0;
  int num_retvals_ = 0;
  size_t num_nodes_ = 0;
  bool all_cheap_ = true;
};

}  // namespace millrace
