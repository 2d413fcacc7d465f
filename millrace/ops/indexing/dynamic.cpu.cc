#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/indexing/plans/dynamic.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

bool StartsWith(const TensorShape& shape, const TensorShape& prefix) {
  if (shape.rank() < prefix.rank()) return false;
  for (int i = 0; i < prefix.rank(); ++i) {
    if (shape.dim(i) != prefix.dim(i)) return false;
  }
  return true;
}

}  // namespace

Status CheckPartition(const TensorShape& data, const TensorShape& partitions) {
  if (StartsWith(data, partitions)) return OkStatus();
  return InvalidArgument(
      "data.shape must start with partitions.shape, got data.shape = ",
      data.DebugString(), ", partitions.shape = ", partitions.DebugString());
}

namespace {

Status DynamicPartitionKernel(KernelContext& ctx) {
  const Tensor& data = ctx.input(0);
  const Tensor& partitions = ctx.input(1);
  const int n = ctx.num_outputs();
  MR_RETURN_IF_ERROR(CheckPartition(data.shape(), partitions.shape()));
  const auto to = partitions.flat<int32_t>();
  std::vector<int64_t> counts(static_cast<size_t>(n));
  for (size_t i = 0; i < to.size(); ++i) {
    if (to[i] < 0 || to[i] >= n) {
      return InvalidArgument(
          "partitions", PlaceText(static_cast<int64_t>(i), partitions.shape()),
          " = ", to[i], " is not in [0, ", n, ")");
    }
    ++counts[to[i]];
  }
  const int64_t slice =
      data.shape().NumElements(partitions.rank(), data.rank());
  std::vector<char*> outputs;
  for (int i = 0; i < n; ++i) {
    DimVector dims = {counts[i]};
    for (int d = partitions.rank(); d < data.rank(); ++d)
      dims.push_back(data.dim(d));
    MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
    MR_ASSIGN_OR_RETURN(Tensor * out, ctx.AllocateOutput(i, std::move(shape)));
    outputs.push_back(out->mutable_data());
    counts[i] = 0;
  }
  if (slice == 0) return OkStatus();
  return DispatchBySize(data.dtype(), [&]<class T>() -> Status {
    const T* from = reinterpret_cast<const T*>(data.data());
    for (size_t i = 0; i < to.size(); ++i, from += slice) {
      if (i % 65536 == 65535) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
      T* row = reinterpret_cast<T*>(outputs[to[i]]) + counts[to[i]]++ * slice;
      if (slice == 1) {
        *row = *from;
      } else {
        std::copy_n(from, slice, row);
      }
    }
    return OkStatus();
  });
}

}  // namespace

StatusOr<StitchPlan> PlanStitch(KernelContext& ctx) {
  const int n = ctx.num_inputs() / 2;
  const Tensor& first_indices = ctx.input(0);
  const Tensor& first_data = ctx.input(n);
  const auto extra = [](const Tensor& indices, const Tensor& data) {
    DimVector dims = data.shape().dims();
    dims.erase(dims.begin(), dims.begin() + indices.rank());
    return dims;
  };
  int32_t max_index = -1;
  DimVector slice_dims;
  for (int i = 0; i < n; ++i) {
    const Tensor& indices = ctx.input(i);
    const Tensor& data = ctx.input(n + i);
    if (!StartsWith(data.shape(), indices.shape())) {
      return InvalidArgument("data[", i,
                             "].shape = ", data.shape().DebugString(),
                             " does not start with indices[", i,
                             "].shape = ", indices.shape().DebugString());
    }
    const DimVector dims = extra(indices, data);
    if (i == 0) slice_dims = dims;
    if (dims != slice_dims) {
      return InvalidArgument(
          "Need data[0].shape[", first_indices.rank(), ":] = data[", i,
          "].shape[", indices.rank(),
          ":], got data[0].shape = ", first_data.shape().DebugString(),
          ", data[", i, "].shape = ", data.shape().DebugString(),
          ", indices[0].shape = ", first_indices.shape().DebugString(),
          ", indices[", i, "].shape = ", indices.shape().DebugString());
    }
    const auto values = indices.flat<int32_t>();
    for (size_t j = 0; j < values.size(); ++j) {
      if (values[j] < 0) {
        return InvalidArgument("indices[", j, "] is out of range");
      }
      max_index = std::max(max_index, values[j]);
    }
  }
  if (max_index == std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("Expected a non-negative size, got an index of ",
                           max_index, "; the largest allowed is one less");
  }
  const int64_t rows = int64_t{max_index} + 1;
  DimVector dims = slice_dims;
  dims.insert(dims.begin(), rows);
  StitchPlan plan;
  MR_ASSIGN_OR_RETURN(plan.shape, TensorShape::Make(dims));
  plan.slice = plan.shape.NumElements(1, plan.shape.rank());
  MR_ASSIGN_OR_RETURN(plan.sources,
                      Tensor::Allocate(ctx.device().host_allocator(),
                                       DataType::kInt64, TensorShape({rows})));
  if (plan.shape.num_elements() == 0) return plan;
  const auto source = plan.sources.mutable_flat<int64_t>();
  std::fill(source.begin(), source.end(), 0);
  const int64_t slice_bytes =
      plan.slice * static_cast<int64_t>(SizeOf(first_data.dtype()));
  for (int i = 0; i < n; ++i) {
    auto from = static_cast<int64_t>(ctx.input(n + i).address());
    for (int32_t index : ctx.input(i).flat<int32_t>()) {
      source[index] = from;
      from += slice_bytes;
    }
  }
  return plan;
}

namespace {

// Copies each row once, from the last slice that is assigned to it.
Status DynamicStitchKernel(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const StitchPlan plan, PlanStitch(ctx));
  MR_ASSIGN_OR_RETURN(Tensor * out, ctx.AllocateOutput(0, plan.shape));
  if (out->num_elements() == 0) return OkStatus();
  const int64_t slice = plan.slice;
  const auto source = plan.sources.flat<int64_t>();
  const DataType type = out->dtype();
  return DispatchBySize(type, [&]<class T>() -> Status {
    T* to = reinterpret_cast<T*>(out->mutable_data());
    return ctx.ParallelFor(plan.shape.dim(0), MoveCost(type, slice) + 5,
                           [&](int64_t begin, int64_t end) {
                             for (int64_t r = begin; r < end; ++r) {
                               if (source[r] != 0) {
                                 std::copy_n(
                                     reinterpret_cast<const T*>(source[r]),
                                     slice, to + r * slice);
                               } else {
                                 std::fill_n(to + r * slice, slice, T());
                               }
                             }
                           });
  });
}

}  // namespace

MR_KERNELS(DynamicPartition,
           Cpu){{.types = "T: " MR_ELEMENT_TYPES,
                 .make = MakeFunctionKernel<DynamicPartitionKernel>}};
MR_KERNELS(DynamicStitch,
           Cpu){{.types = "T: " MR_PLAIN_AND_STRING_TYPES
                          ", variant, " MR_QUANTIZED_8_32_TYPES,
                 .make = MakeFunctionKernel<DynamicStitchKernel>}};
MR_KERNELS(ParallelDynamicStitch,
           Cpu){{.types = "T: " MR_PLAIN_AND_STRING_TYPES
                          ", variant, " MR_QUANTIZED_8_32_TYPES,
                 .make = MakeFunctionKernel<DynamicStitchKernel>}};

}  // namespace millrace::ops
