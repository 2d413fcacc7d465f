#include <cmath>
#include <memory>

#include "millrace/base/target_clones.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/elementwise.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Compiled for several processors, of which the one that is there is chosen.
template <class T>
MR_TARGET_CLONES void AffineSpan(const T* x, T scale, T offset, T* y,
                                 int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) y[i] = scale * x[i] + offset;
}

template <class T>
class AffineElements final : public ElementwiseFunction {
 public:
  AffineElements(float scale, float offset)
      : ElementwiseFunction(/*num_inputs=*/1, /*broadcasts=*/true,
                            /*cost_picos=*/250, /*no_result=*/""),
        scale_(scale),
        offset_(offset) {}

  bool Run(const char* const* in, uint32_t, char* out,
           int64_t n) const override {
    AffineSpan<T>(reinterpret_cast<const T*>(in[0]), scale_, offset_,
                  reinterpret_cast<T*>(out), n);
    return true;
  }

 private:
  const T scale_;
  const T offset_;
};

StatusOr<std::unique_ptr<ElementwiseFunction>> AffineFunction(
    const KernelInit& init) {
  MR_ASSIGN_OR_RETURN(const float scale, init.Attr<float>("scale"));
  MR_ASSIGN_OR_RETURN(const float offset, init.Attr<float>("offset"));
  if (!std::isfinite(scale) || !std::isfinite(offset)) {
    return InvalidArgument("scale and offset must be finite numbers, but are ",
                           scale, " and ", offset);
  }
  std::unique_ptr<ElementwiseFunction> function;
  MR_RETURN_IF_ERROR(
      Dispatch<float, double>(init.input_type(0), [&]<class T>() -> Status {
        function = std::make_unique<AffineElements<T>>(scale, offset);
        return OkStatus();
      }));
  return function;
}

}  // namespace

MR_KERNELS(Affine, Cpu){{
    .types = "T: float, double",
    .make = MakeElementwise<AffineFunction>,
    .elementwise = AffineFunction,
}};

}  // namespace millrace::ops
