// BothDevicesTest: single ops on a GPU of the stand-in and on the CPU.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "millrace/device/gpu_setup.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/session/local_session.h"

namespace millrace {

class BothDevicesTest : public ::testing::Test {
 protected:
  static constexpr char kGpu[] = "/device:GPU:0", kCpu[] = "/device:CPU:0";

  // Makes a session on one of each, instead of an earlier one; to be called
  // first.
  void Start(const GpuSetup& setup = {});

  // Returns output 0 of a node of this op with these inputs on a device.
  StatusOr<Tensor> Run(const char* device, const char* op,
                       const std::vector<Tensor>& inputs, const AttrMap& attrs);

  // Expects elements that differ by at most 1e-4 of the CPU's, or 1e-4.
  void ExpectAlike(const char* op, const std::vector<Tensor>& inputs,
                   const AttrMap& attrs);

  // Random floats in [-1, 1).
  static Tensor Floats(const TensorShape& shape);

 private:
  KernelTable kernels_;
  std::unique_ptr<LocalSession> session_;
  int nodes_ = 0;
};

}  // namespace millrace
