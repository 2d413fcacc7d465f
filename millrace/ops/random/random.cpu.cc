#include <algorithm>
#include <limits>
#include <vector>

#include "millrace/base/memory/memory_charge.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/random/fill.h"
#include "millrace/ops/random/numbers_shape.h"
#include "millrace/ops/random/random_stream.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

template <Distribution kDistribution>
class RandomKernel {
 public:
  static StatusOr<RandomKernel> Make(const KernelInit& init) {
    RandomKernel k;
    MR_ASSIGN_OR_RETURN(k.stream_, RandomStream::Make(init));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(TensorShape shape, ShapeOfNumbers(ctx.input(0)));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, std::move(shape)));
    const int64_t size = out->num_elements();
    if (size == 0) return OkStatus();
    return FillRandom(
        ctx, kDistribution,
        stream_->Reserve(static_cast<uint64_t>(size) * kReservedPerOutput),
        out);
  }

 private:
  std::unique_ptr<RandomStream> stream_;
};

class RandomUniformIntKernel {
 public:
  static StatusOr<RandomUniformIntKernel> Make(const KernelInit& init) {
    RandomUniformIntKernel k;
    MR_ASSIGN_OR_RETURN(k.stream_, RandomStream::Make(init));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(TensorShape shape, ShapeOfNumbers(ctx.input(0)));
    for (int i : {1, 2}) {
      if (ctx.input(i).rank() != 0) {
        return InvalidArgument(i == 1 ? "minval" : "maxval",
                               " must be 0-D, got shape ",
                               ctx.input(i).shape().DebugString());
      }
    }
    const int64_t low = IntValues(ctx.input(1))[0];
    const int64_t high = IntValues(ctx.input(2))[0];
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, std::move(shape)));
    const int64_t size = out->num_elements();
    if (size == 0) return OkStatus();
    if (low >= high) {
      return InvalidArgument("Need minval < maxval, got ", low, " >= ", high);
    }
    return FillIntegers(
        ctx, stream_->Reserve(static_cast<uint64_t>(size) * kReservedPerOutput),
        static_cast<uint64_t>(low),
        static_cast<uint64_t>(high) - static_cast<uint64_t>(low), out);
  }

 private:
  std::unique_ptr<RandomStream> stream_;
};

class RandomShuffleKernel {
 public:
  static StatusOr<RandomShuffleKernel> Make(const KernelInit& init) {
    RandomShuffleKernel k;
    MR_ASSIGN_OR_RETURN(k.stream_, RandomStream::Make(init));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& value = ctx.input(0);
    if (value.rank() == 0 || value.num_elements() <= 1 || value.dim(0) <= 1) {
      ctx.set_output(0, value);
      return OkStatus();
    }
    MR_RETURN_IF_ERROR(ctx.BindInput(0));
    const int64_t rows = value.dim(0);
    if (rows > std::numeric_limits<uint32_t>::max()) {
      return InvalidArgument("value has ", rows,
                             " rows, at most 2^32 - 1 can be shuffled");
    }
    MemoryCharge charge;
    MR_RETURN_IF_ERROR(charge.Set(rows * 8, "the order of shuffled rows"));
    const int64_t row_size = value.shape().NumElements(1, value.rank());
    std::vector<int64_t> order(static_cast<size_t>(rows));
    for (int64_t i = 0; i < rows; ++i) order[i] = i;
    Philox4x32 generator =
        stream_->Reserve(static_cast<uint64_t>(rows - 1 + 3) / 4);
    SingleNumbers next(&generator);
    for (int64_t i = 0; i + 1 < rows; ++i) {
      std::swap(order[i], order[i + next() % static_cast<uint32_t>(rows - i)]);
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, value.shape()));
    return DispatchBySize(value.dtype(), [&]<class T>() -> Status {
      const T* x = reinterpret_cast<const T*>(value.data());
      T* z = reinterpret_cast<T*>(out->mutable_data());
      for (int64_t i = 0; i < rows; ++i) {
        std::copy_n(x + order[i] * row_size, row_size, z + i * row_size);
      }
      return OkStatus();
    });
  }

 private:
  std::unique_ptr<RandomStream> stream_;
};

#define MR_RANDOM_TYPES "dtype: bfloat16, double, float, half"

}  // namespace

MR_KERNELS(RandomUniform,
           Cpu){{.types = MR_RANDOM_TYPES,
                 .make = MakeKernel<RandomKernel<Distribution::kUniform>>,
                 .host = "shape"}};
MR_KERNELS(RandomStandardNormal,
           Cpu){{.types = MR_RANDOM_TYPES,
                 .make = MakeKernel<RandomKernel<Distribution::kNormal>>,
                 .host = "shape"}};
MR_KERNELS(TruncatedNormal,
           Cpu){{.types = MR_RANDOM_TYPES,
                 .make = MakeKernel<RandomKernel<Distribution::kTruncated>>,
                 .host = "shape"}};
MR_KERNELS(RandomUniformInt, Cpu){{.make = MakeKernel<RandomUniformIntKernel>,
                                   .host = "shape, minval, maxval"}};
MR_KERNELS(RandomShuffle, Cpu){
    {.types = "T: bfloat16, bool, complex128, complex64, double, float, half, "
              "int16, int32, int64, int8, resource, string, uint16, uint32, "
              "uint64, uint8, variant",
     .make = MakeKernel<RandomShuffleKernel>,
     .views = "value"}};

}  // namespace millrace::ops
