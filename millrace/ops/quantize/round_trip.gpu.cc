// Kernels of QuantizeAndDequantize in its versions on GPUs.
#include "millrace/ops/quantize/round_trip.h"

#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/tensor/dispatch.h"

MR_GPU_SOURCE(quantize_round_trip_shared);
MR_GPU_SOURCE(quantize_round_trip);

namespace millrace::ops {
namespace {

StatusOr<GpuFunction> LoadRoundTrip(const KernelInit& init, const char* entry) {
  const GpuSource* const sources[] = {
      &MR_GPU_SOURCE_OF(quantize_round_trip_shared),
      &MR_GPU_SOURCE_OF(quantize_round_trip)};
  return LoadGpuFunction(init, sources, entry,
                         {{"T", GpuTypeName(init.input_type(0))}});
}

class RoundTripGpu {
 public:
  static StatusOr<RoundTripGpu> Make(const KernelInit& init) {
    RoundTripGpu k;
    MR_ASSIGN_OR_RETURN(k.options_, RoundTripOptions::Make(init));
    if (!k.options_.range_given()) {
      MR_ASSIGN_OR_RETURN(k.find_, LoadRoundTrip(init, "FindRanges"));
      MR_ASSIGN_OR_RETURN(k.make_, LoadRoundTrip(init, "MakeRoundings"));
    }
    MR_ASSIGN_OR_RETURN(k.round_, LoadRoundTrip(init, "RoundSlices"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const Integers integers, options_.ReadIntegers(ctx));
    const bool given = options_.range_given();
    const TensorShape shape = ctx.input(0).shape();
    const int64_t n = shape.num_elements();
    if (n == 0 && !given) {
      return ctx.ForwardOrAllocateOutput({0}, 0, shape).status();
    }
    const Slices s = options_.SlicesOf(ctx.input(0));
    return Dispatch<float, double>(
        ctx.input(0).dtype(), [&]<class T>() -> Status {
          MR_ASSIGN_OR_RETURN(const Tensor roundings,
                              given ? GivenRoundings<T>(ctx, s, integers)
                                    : FoundRoundings<T>(ctx, s, integers));
          MR_ASSIGN_OR_RETURN(Tensor* const out,
                              ctx.ForwardOrAllocateOutput({0}, 0, shape));
          if (n == 0) return OkStatus();
          return LaunchGpu(ctx, round_, GridOver(n), GpuInput(ctx.input(0)),
                           GpuInput(roundings), GpuOutput(*out), n, s.count(),
                           s.inner(), given, options_.to_even());
        });
  }

 private:
  template <class T>
  StatusOr<Tensor> GivenRoundings(KernelContext& ctx, const Slices& s,
                                  const Integers& integers) const {
    CountedVector<T> min, max;
    MR_RETURN_IF_ERROR(options_.GivenRanges(ctx, s, &min, &max));
    CountedVector<Rounding<T>> roundings;
    if (min.empty()) return Tensor();
    for (size_t i = 0; i < min.size(); ++i) {
      roundings.push_back(integers.RoundingIn(min[i], max[i]));
    }
    return UploadToGpu(
        ctx, roundings.data(),
        static_cast<int64_t>(roundings.size() * sizeof(Rounding<T>)));
  }

  template <class T>
  StatusOr<Tensor> FoundRoundings(KernelContext& ctx, const Slices& s,
                                  const Integers& integers) const {
    constexpr int64_t kWantedBlocks = 1024, kLeastElements = 4096;
    const GpuSlices parts = CutLines(s.count(), s.outer() * s.inner(),
                                     kWantedBlocks, kLeastElements);
    const DataType type = ctx.input(0).dtype();
    MR_ASSIGN_OR_RETURN(
        Tensor ranges,
        ctx.AllocateTemp(type, TensorShape({parts.count, s.count(), 2})));
    MR_ASSIGN_OR_RETURN(Tensor roundings,
                        ctx.AllocateTemp(type, TensorShape({s.count(), 4})));
    MR_RETURN_IF_ERROR(LaunchGpu(
        ctx, find_, GpuGrid{.blocks = parts.count * s.count(), .strided = true},
        GpuInput(ctx.input(0)), GpuOutput(ranges), parts.count * s.count(),
        s.outer(), s.count(), s.inner(), parts.size));
    MR_RETURN_IF_ERROR(LaunchGpu(
        ctx, make_, GridOver(s.count()), GpuInput(ranges), GpuOutput(roundings),
        s.count(), parts.count, static_cast<T>(integers.least()),
        static_cast<T>(integers.most())));
    return roundings;
  }

  RoundTripOptions options_;
  GpuFunction find_, make_, round_;
};

class RoundTripGradGpu {
 public:
  static StatusOr<RoundTripGradGpu> Make(const KernelInit& init) {
    RoundTripGradGpu k;
    MR_ASSIGN_OR_RETURN(k.options_, RoundTripGradOptions::Make(init));
    MR_ASSIGN_OR_RETURN(k.pass_, LoadRoundTrip(init, "PassWithin"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const Slices s, options_.Check(ctx));
    const Tensor &dy = ctx.input(0), &x = ctx.input(1);
    const Tensor &min = ctx.input(2), &max = ctx.input(3);
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, x.shape()));
    for (int i = 1; i < 3; ++i) {
      MR_ASSIGN_OR_RETURN(Tensor* const zeros,
                          ctx.AllocateOutput(i, min.shape()));
      MR_RETURN_IF_ERROR(
          FillGpuBytes(ctx, GpuOutput(*zeros), 0,
                       static_cast<int64_t>(zeros->size_bytes())));
    }
    const int64_t n = x.num_elements();
    if (n == 0) return OkStatus();
    return Dispatch<float, double>(x.dtype(), [&]<class T>() -> Status {
      std::vector<T> ends(min.flat<T>().begin(), min.flat<T>().end());
      ends.insert(ends.end(), max.flat<T>().begin(), max.flat<T>().end());
      MR_ASSIGN_OR_RETURN(
          const Tensor uploaded,
          UploadToGpu(ctx, ends.data(),
                      static_cast<int64_t>(ends.size() * sizeof(T))));
      return LaunchGpu(ctx, pass_, GridOver(n), GpuInput(dy), GpuInput(x),
                       GpuInput(uploaded), GpuOutput(*out), n, s.count(),
                       s.inner());
    });
  }

 private:
  RoundTripGradOptions options_;
  GpuFunction pass_;
};

constexpr char kRoundTripTypes[] = "T: float, double";

}  // namespace

MR_KERNELS(QuantizeAndDequantize,
           Gpu){{.types = kRoundTripTypes, .make = MakeKernel<RoundTripGpu>}};
MR_KERNELS(QuantizeAndDequantizeV2, Gpu){{.types = kRoundTripTypes,
                                          .make = MakeKernel<RoundTripGpu>,
                                          .host = "input_min, input_max"}};
MR_KERNELS(QuantizeAndDequantizeV3,
           Gpu){{.types = kRoundTripTypes,
                 .make = MakeKernel<RoundTripGpu>,
                 .host = "input_min, input_max, num_bits"}};
MR_KERNELS(QuantizeAndDequantizeV4, Gpu){{.types = kRoundTripTypes,
                                          .make = MakeKernel<RoundTripGpu>,
                                          .host = "input_min, input_max"}};
MR_KERNELS(QuantizeAndDequantizeV4Grad,
           Gpu){{.types = kRoundTripTypes,
                 .make = MakeKernel<RoundTripGradGpu>,
                 .host = "input_min, input_max"}};

}  // namespace millrace::ops
