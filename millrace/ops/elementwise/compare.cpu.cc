// Kernels of comparisons of two operands.
#include <cmath>

#include "millrace/ops/elementwise/both_signs.h"
#include "millrace/ops/elementwise/elementwise.h"

namespace millrace::ops {
namespace {

struct EqualOp {
  template <class T>
  static bool Do(const T& x, const T& y) {
    return x == y;
  }
};
struct NotEqualOp {
  template <class T>
  static bool Do(const T& x, const T& y) {
    return !(x == y);
  }
};
struct LessOp {
  template <class T>
  static bool Do(T x, T y) {
    return x < y;
  }
};
struct LessEqualOp {
  template <class T>
  static bool Do(T x, T y) {
    return x <= y;
  }
};

template <class Op, bool kXIsScalar, bool kYIsScalar>
bool CompareStrings(const void* xv, const void* yv, void* zv, int64_t n) {
  const StringElement* x = static_cast<const StringElement*>(xv);
  const StringElement* y = static_cast<const StringElement*>(yv);
  bool* z = static_cast<bool*>(zv);
  for (int64_t i = 0; i < n; ++i) {
    z[i] = Op::Do(x[kXIsScalar ? 0 : i], y[kYIsScalar ? 0 : i]);
  }
  return true;
}

// Quantized numbers are equal if their integers are.
template <class Op>
constexpr BinaryTable EqualityTable() {
  BinaryTable table =
      ForBothSigns(MakeBinaryTable<Op>(Join<UnsignedLoops, Types<bool>>()));
  table.loops[IndexOf<Qint8>()] = table.loops[IndexOf<int8_t>()];
  table.loops[IndexOf<Quint8>()] = table.loops[IndexOf<uint8_t>()];
  table.loops[IndexOf<Qint16>()] = table.loops[IndexOf<int16_t>()];
  table.loops[IndexOf<Quint16>()] = table.loops[IndexOf<uint16_t>()];
  table.loops[IndexOf<Qint32>()] = table.loops[IndexOf<int32_t>()];
  table.loops[IndexOf<StringElement>()] = {&CompareStrings<Op, false, false>,
                                           &CompareStrings<Op, false, true>,
                                           &CompareStrings<Op, true, false>};
  return table;
}

constexpr BinaryTable kEqual = EqualityTable<EqualOp>();
constexpr BinaryTable kNotEqual = EqualityTable<NotEqualOp>();
constexpr BinaryTable kLess = MakeBinaryTable<LessOp>(OrderedLoops());
constexpr BinaryTable kLessEqual = MakeBinaryTable<LessEqualOp>(OrderedLoops());
constexpr BinaryTable kGreater = MakeSwappedTable<kLess>(OrderedLoops());
constexpr BinaryTable kGreaterEqual =
    MakeSwappedTable<kLessEqual>(OrderedLoops());

StatusOr<std::unique_ptr<Kernel>> MakeEqual(const KernelInit& init) {
  return MakeEqualityKernel(init, kEqual, /*if_incompatible=*/false);
}
StatusOr<std::unique_ptr<Kernel>> MakeNotEqual(const KernelInit& init) {
  return MakeEqualityKernel(init, kNotEqual, /*if_incompatible=*/true);
}

template <class T>
MR_TARGET_CLONES void ApproximateSpan(const T* x, const T* y, T tolerance,
                                      bool* z, int64_t n) {
  for (int64_t i = 0; i < n; ++i) z[i] = std::fabs(x[i] - y[i]) <= tolerance;
}

class ApproximateEqualKernel {
 public:
  static StatusOr<ApproximateEqualKernel> Make(const KernelInit& init) {
    ApproximateEqualKernel k;
    MR_ASSIGN_OR_RETURN(k.tolerance_, init.Attr<float>("tolerance"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    const Tensor& y = ctx.input(1);
    if (!(x.shape() == y.shape())) {
      return InvalidArgument("x and y must be of the same shape. x shape: ",
                             x.shape().DebugString(),
                             ". y shape: ", y.shape().DebugString());
    }
    MR_ASSIGN_OR_RETURN(Tensor * z, ctx.AllocateOutput(0, x.shape()));
    bool* out = z->mutable_flat<bool>().data();
    return Dispatch<float, double>(x.dtype(), [&]<class T>() {
      return ShardElements(
          ctx, x.num_elements(), 250, [&](int64_t begin, int64_t end) {
            ApproximateSpan<T>(
                x.flat<T>().data() + begin, y.flat<T>().data() + begin,
                static_cast<T>(tolerance_), out + begin, end - begin);
          });
    });
  }

 private:
  float tolerance_ = 0;
};

}  // namespace

MR_KERNELS(Equal, Cpu){{
    .types =
        "T: bfloat16, half, float, double, uint8, int8, uint16, int16, int32, "
        "uint32, uint64, int64, complex64, complex128, bool, string, qint8, "
        "quint8, qint16, quint16, qint32",
    .make = MakeEqual,
    .elementwise = BinaryFunction<kEqual>,
}};
MR_KERNELS(NotEqual, Cpu){{
    .types =
        "T: bfloat16, half, float, double, uint8, int8, uint16, int16, int32, "
        "uint32, uint64, int64, complex64, complex128, bool, string, qint8, "
        "quint8, qint16, quint16, qint32",
    .make = MakeNotEqual,
    .elementwise = BinaryFunction<kNotEqual>,
}};
MR_KERNELS(Less, Cpu){
    {.make = MakeBinary<kLess>, .elementwise = BinaryFunction<kLess>}};
MR_KERNELS(LessEqual, Cpu){{.make = MakeBinary<kLessEqual>,
                            .elementwise = BinaryFunction<kLessEqual>}};
MR_KERNELS(Greater, Cpu){
    {.make = MakeBinary<kGreater>, .elementwise = BinaryFunction<kGreater>}};
MR_KERNELS(GreaterEqual, Cpu){{.make = MakeBinary<kGreaterEqual>,
                               .elementwise = BinaryFunction<kGreaterEqual>}};
MR_KERNELS(ApproximateEqual, Cpu){{
    .types = "T: float, double",
    .make = MakeKernel<ApproximateEqualKernel>,
}};

}  // namespace millrace::ops
