// The kernel of Where. The number of rows is known when the count has come to
// the host.
#include "millrace/ops/indexing/where.gpu.h"

#include <string>
#include <utility>
#include <vector>

#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/device_read.gpu.h"
#include "millrace/ops/array/element_types.h"

MR_GPU_SOURCE(indexing_where);

namespace millrace::ops {
namespace {

constexpr int kMaxWhereRank = 8;
constexpr int64_t kWhereBlock = 2048;  // elements, as in the device text

// As in the device text.
struct WhereArgs {
  uint64_t x = 0, counts = 0, out = 0;
  int64_t n = 0;
  int rank = 0;
  int64_t dims[kMaxWhereRank] = {};
};

std::vector<GpuDefine> WordsOf(DataType t) {
  switch (t) {
    case DataType::kHalf:
    case DataType::kBfloat16:
      return {{"W", "uint16_t"}, {"WORDS", "1"}, {"MASK", "0x7fffu"}};
    case DataType::kFloat:
      return {{"W", "uint32_t"}, {"WORDS", "1"}, {"MASK", "0x7fffffffu"}};
    case DataType::kComplex64:
      return {{"W", "uint32_t"}, {"WORDS", "2"}, {"MASK", "0x7fffffffu"}};
    case DataType::kDouble:
      return {
          {"W", "uint64_t"}, {"WORDS", "1"}, {"MASK", "0x7fffffffffffffffull"}};
    case DataType::kComplex128:
      return {
          {"W", "uint64_t"}, {"WORDS", "2"}, {"MASK", "0x7fffffffffffffffull"}};
    default:
      return {{"W", "uint" + std::to_string(8 * SizeOf(t)) + "_t"},
              {"WORDS", "1"},
              {"MASK", "0xffffffffffffffffull"}};
  }
}

}  // namespace

StatusOr<GpuNonZero> GpuNonZero::Make(const KernelInit& init, DataType type) {
  GpuNonZero k;
  const std::vector<GpuDefine> defines = WordsOf(type);
  const GpuSource& source = MR_GPU_SOURCE_OF(indexing_where);
  MR_ASSIGN_OR_RETURN(k.count_,
                      LoadGpuFunction(init, source, "CountTrue", defines));
  MR_ASSIGN_OR_RETURN(k.add_,
                      LoadGpuFunction(init, source, "AddCounts", defines));
  MR_ASSIGN_OR_RETURN(k.write_,
                      LoadGpuFunction(init, source, "WriteTrue", defines));
  return k;
}

StatusOr<Tensor> GpuNonZero::Count(KernelContext& ctx, const Tensor& in) const {
  if (in.rank() == 0) {
    return InvalidArgument("WhereOp : Unhandled input dimensions: 0");
  }
  if (in.rank() > kMaxWhereRank) {
    return InvalidArgument("WhereOp : Unhandled input dimensions: ", in.rank());
  }
  const int64_t n = in.num_elements();
  const int64_t blocks = (n + kWhereBlock - 1) / kWhereBlock;
  MR_ASSIGN_OR_RETURN(
      Tensor counts,
      ctx.AllocateTemp(DataType::kInt64, TensorShape({blocks + 1})));
  if (n > 0) {
    MR_RETURN_IF_ERROR(LaunchGpu(ctx, count_, GpuGrid{.blocks = blocks},
                                 GpuInput(in), n, GpuOutput(counts)));
  }
  MR_RETURN_IF_ERROR(
      LaunchGpu(ctx, add_, GpuGrid{.blocks = 1}, GpuOutput(counts), blocks));
  return counts;
}

Status GpuNonZero::Write(KernelContext& ctx, const Tensor& in,
                         const Tensor& counts, Tensor* out) const {
  if (out->num_elements() == 0) return OkStatus();
  WhereArgs a;
  a.x = in.device_address();
  a.counts = counts.device_address();
  a.out = out->device_address();
  a.n = in.num_elements();
  a.rank = in.rank();
  for (int d = 0; d < a.rank; ++d) a.dims[d] = in.dim(d);
  return LaunchGpu(ctx, write_, GpuGrid{.blocks = counts.num_elements() - 1},
                   a);
}

namespace {

class WhereGpu {
 public:
  static StatusOr<WhereGpu> Make(const KernelInit& init) {
    WhereGpu k;
    MR_ASSIGN_OR_RETURN(k.non_zero_,
                        GpuNonZero::Make(init, RemoveRef(init.input_type(0))));
    return k;
  }

  void RunAsync(KernelContext& ctx, Done done) const {
    StatusOr<Tensor> counts = non_zero_.Count(ctx, ctx.input(0));
    if (!counts.ok()) return std::move(done)(counts.status());
    Tensor total = GpuNonZero::Total(*counts);
    ReadOnHost(
        ctx, std::move(total),
        [this, &ctx,
         counts = *std::move(counts)](const Tensor& found) -> Status {
          const Tensor& in = ctx.input(0);
          MR_ASSIGN_OR_RETURN(
              Tensor* const out,
              ctx.AllocateOutput(
                  0, TensorShape({found.flat<int64_t>()[0], in.rank()})));
          return non_zero_.Write(ctx, in, counts, out);
        },
        std::move(done));
  }

 private:
  GpuNonZero non_zero_;
};

}  // namespace

MR_KERNELS(Where, Gpu){
    {.types = "T: " MR_GPU_TYPES ", int32", .make = MakeKernel<WhereGpu>}};

}  // namespace millrace::ops
