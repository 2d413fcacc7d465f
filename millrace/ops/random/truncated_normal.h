// The checks of ParameterizedTruncatedNormal, on all devices.
#pragma once

#include <cstdint>
#include <utility>

#include "millrace/kernel/kernel_context.h"

namespace millrace::ops {

// Stock gives up on a number after this many attempts, and reserves as many for
// each.
inline constexpr int kMostTruncatedAttempts = 1000;

// Numbers are sampled in batches that have the same parameters.
struct TruncatedPlan {
  TensorShape shape;
  int64_t batches = 0;
  int64_t samples = 0;    // of each but the last
  uint64_t reserved = 0;  // results of the stream

  // The shape lies in host memory; parameters may lie anywhere.
  static StatusOr<TruncatedPlan> Make(const KernelContext& ctx) {
    // Numbers in a batch, if all have the same parameters.
    constexpr int64_t kBatchOfEqual = 100;
    TruncatedPlan plan;
    MR_ASSIGN_OR_RETURN(plan.shape, ShapeOf(ctx.input(0)));
    const int64_t rows = plan.shape.dim(0);
    MR_ASSIGN_OR_RETURN(const bool are_equal, CheckParameters(ctx, rows));
    const int64_t size = plan.shape.num_elements();
    plan.batches =
        are_equal ? (size + kBatchOfEqual - 1) / kBatchOfEqual : rows;
    plan.samples = are_equal ? kBatchOfEqual : rows == 0 ? 0 : size / rows;
    plan.reserved = static_cast<uint64_t>(plan.batches) * 2 *
                    kMostTruncatedAttempts *
                    (static_cast<uint64_t>(plan.samples) + 3) / 4;
    return plan;
  }

  static Status BadParameters() {
    return InvalidArgument("Invalid parameters");
  }
  static Status NothingFound(const char* sampler) {
    return Internal("TruncatedNormal ", sampler,
                    " rejection sampler failed to accept a sample.");
  }

 private:
  static StatusOr<TensorShape> ShapeOf(const Tensor& shape) {
    if (shape.rank() != 1) {
      return InvalidArgument("Input shape should be a vector, got shape: ",
                             shape.shape().DebugString());
    }
    if (shape.num_elements() == 0) {
      return InvalidArgument("Shape tensor must not be empty, got ",
                             shape.DebugString());
    }
    return ShapeFromTensor(shape);
  }

  // Returns whether each parameter is one for all rows.
  static StatusOr<bool> CheckParameters(const KernelContext& ctx,
                                        int64_t rows) {
    constexpr const char* kNames[] = {"means", "stddevs", "minvals", "maxvals"};
    bool are_equal = true;
    for (int i = 1; i <= 4; ++i) {
      const Tensor& t = ctx.input(i);
      if (t.rank() > 1) {
        return InvalidArgument("Input ", kNames[i - 1],
                               " should be a scalar or vector, got shape: ",
                               t.shape().DebugString());
      }
      are_equal &= t.num_elements() == 1;
    }
    for (int i = 1; i <= 4; ++i) {
      const int64_t n = ctx.input(i).num_elements();
      if (n == 1 || n == rows) continue;
      return InvalidArgument("Input ", kNames[i - 1],
                             " should have length 1 or shape[0], got shape: ",
                             ctx.input(i).shape().DebugString());
    }
    return are_equal;
  }
};

}  // namespace millrace::ops
