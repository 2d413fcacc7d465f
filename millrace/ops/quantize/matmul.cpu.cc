// Kernel of QuantizedMatMul.
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/quantize/byte_product.h"
#include "millrace/ops/quantize/matrix_rows.h"
#include "millrace/ops/quantize/range.h"

namespace millrace::ops {
namespace {

class QuantizedMatMul {
 public:
  static StatusOr<QuantizedMatMul> Make(const KernelInit& init) {
    QuantizedMatMul k;
    MR_ASSIGN_OR_RETURN(k.transpose_a_, init.Attr<bool>("transpose_a"));
    MR_ASSIGN_OR_RETURN(k.transpose_b_, init.Attr<bool>("transpose_b"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor &a = ctx.input(0), &b = ctx.input(1);
    MR_ASSIGN_OR_RETURN(const Range range_a, ScalarRangeInput(ctx, 2, 3));
    MR_ASSIGN_OR_RETURN(const Range range_b, ScalarRangeInput(ctx, 4, 5));
    if (!(range_a.max > range_a.min)) {
      return InvalidArgument("max_a must be larger than min_a.");
    }
    if (!(range_b.max > range_b.min)) {
      return InvalidArgument("max_b must be larger than min_b.");
    }
    if (a.rank() != 2) return InvalidArgument("In[0] is not a matrix");
    if (b.rank() != 2) return InvalidArgument("In[1] is not a matrix");
    const int64_t k = a.dim(transpose_a_ ? 0 : 1);
    if (k != b.dim(transpose_b_ ? 1 : 0)) {
      return InvalidArgument(
          "Matrix size-incompatible: In[0]: ", a.shape().DebugString(),
          ", In[1]: ", b.shape().DebugString());
    }
    const int64_t m = a.dim(transpose_a_ ? 1 : 0);
    const int64_t n = b.dim(transpose_b_ ? 0 : 1);
    const int64_t sizes[] = {m, n};
    MR_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(sizes));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    if (out->num_elements() == 0 || k == 0) {
      // Without this, columns without numbers would be packed.
      MR_RETURN_IF_ERROR(ZeroTensor(ctx, out));
      return SetRange(ctx, 1,
                      RangeOfProducts<Quint8, Quint8>(range_a, range_b));
    }
    const MatrixRows rows(reinterpret_cast<const uint8_t*>(a.data()), m, k,
                          transpose_a_);
    MR_RETURN_IF_ERROR(
        product_.Run(ctx, m, rows, ZeroOf<Quint8>(range_a),
                     {b, k, n, transpose_b_}, ZeroOf<Quint8>(range_b),
                     reinterpret_cast<int32_t*>(out->mutable_data())));
    return SetRange(ctx, 1, RangeOfProducts<Quint8, Quint8>(range_a, range_b));
  }

 private:
  bool transpose_a_ = false, transpose_b_ = false;
  ByteProduct product_;
};

}  // namespace

MR_KERNELS(QuantizedMatMul,
           Cpu){{.types = "T1: quint8; T2: quint8; Toutput: qint32",
                 .make = MakeKernel<QuantizedMatMul>}};

}  // namespace millrace::ops
