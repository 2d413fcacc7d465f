// Kernel of Cast between any two of the twenty plain types.
//
// Loops exist for pairs of the eleven types that the processor supports. The
// others are views of these (quantized integers), are converted to float and
// back block by block (half, bfloat16), or are two real numbers (complex).
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/elementwise.h"
#include "millrace/ops/elementwise/float_blocks.h"

namespace millrace::ops {
namespace {

using CastLoop = void (*)(const void* x, void* z, int64_t n);
constexpr int64_t kBlock = 1024;

// Returns the result of x86 for numbers out of range, in every vector width:
// the smallest number of the 32- or 64-bit type, of which narrower types keep
// the low bits.
template <class F>
int32_t ToInt32(F x) {
  return x >= F(-2147483648.0) && x < F(2147483648.0)
             ? static_cast<int32_t>(x)
             : std::numeric_limits<int32_t>::min();
}
template <class F>
int64_t ToInt64(F x) {
  return x >= F(-9223372036854775808.0) && x < F(9223372036854775808.0)
             ? static_cast<int64_t>(x)
             : std::numeric_limits<int64_t>::min();
}

template <class To, class From>
To Convert(From x) {
  if constexpr (std::is_same_v<To, bool>) {
    return x != From(0);
  } else if constexpr (std::is_floating_point_v<From> &&
                       std::is_integral_v<To>) {
    if constexpr (std::is_same_v<To, int64_t> || std::is_same_v<To, uint32_t>) {
      return static_cast<To>(ToInt64(x));
    } else if constexpr (std::is_same_v<To, uint64_t>) {
      const bool upper =
          x >= From(9223372036854775808.0) && x < From(18446744073709551616.0);
      return upper ? static_cast<uint64_t>(
                         ToInt64(x - From(9223372036854775808.0))) +
                         (uint64_t{1} << 63)
                   : static_cast<uint64_t>(ToInt64(x));
    } else {
      return static_cast<To>(ToInt32(x));
    }
  } else {
    return static_cast<To>(x);
  }
}

template <class From, class To>
MR_TARGET_CLONES void Loop(const void* xv, void* zv, int64_t n) {
  const From* x = static_cast<const From*>(xv);
  To* z = static_cast<To*>(zv);
  for (int64_t i = 0; i < n; ++i) z[i] = Convert<To>(x[i]);
}

using BaseTypes = Join<Join<RealLoops, IntegerTypes>, Types<bool>>;
using LoopTable =
    std::array<std::array<CastLoop, kDataTypeLimit>, kDataTypeLimit>;

template <class From, class... Tos>
constexpr void AddRow(LoopTable& table, Types<Tos...>) {
  ((table[IndexOf<From>()][IndexOf<Tos>()] = &Loop<From, Tos>), ...);
}
template <class... Froms>
constexpr LoopTable MakeLoops(Types<Froms...> all) {
  LoopTable table = {};
  (AddRow<Froms>(table, all), ...);
  return table;
}
constexpr LoopTable kLoops = MakeLoops(BaseTypes());

// Returns the type whose loop is used: the number's own, or that of its parts.
DataType BaseType(DataType t) {
  switch (t) {
    case DataType::kHalf:
    case DataType::kBfloat16:
    case DataType::kComplex64:
      return DataType::kFloat;
    case DataType::kComplex128:
      return DataType::kDouble;
    case DataType::kQint8:
      return DataType::kInt8;
    case DataType::kQuint8:
      return DataType::kUint8;
    case DataType::kQint16:
      return DataType::kInt16;
    case DataType::kQuint16:
      return DataType::kUint16;
    case DataType::kQint32:
      return DataType::kInt32;
    default:
      return t;
  }
}

// Returns how many bits of the mantissa `Truncate` clears before the
// conversion.
int TruncatedBits(DataType from, DataType to) {
  const DataType base = BaseType(from);
  if (base == DataType::kFloat && !ComputesInFloat(from)) {
    if (to == DataType::kHalf) return 13;
    if (to == DataType::kBfloat16 && from == DataType::kFloat) return 16;
  }
  if (base == DataType::kDouble) {
    if (to == DataType::kHalf) return 42;
    if (to == DataType::kFloat || to == DataType::kComplex64) return 29;
  }
  return 0;
}

template <class T>
void TakeRealParts(const void* x, void* z, int64_t n) {
  const T* from = static_cast<const T*>(x);
  T* to = static_cast<T*>(z);
  for (int64_t i = 0; i < n; ++i) to[i] = from[2 * i];
}
template <class T>
void AddZeroParts(const void* x, void* z, int64_t n) {
  const T* from = static_cast<const T*>(x);
  T* to = static_cast<T*>(z);
  for (int64_t i = 0; i < n; ++i) {
    to[2 * i] = from[i];
    to[2 * i + 1] = 0;
  }
}
template <class U>
void ClearBits(const void* x, void* z, int64_t n, int bits) {
  const U mask = ~((U{1} << bits) - 1);
  for (int64_t i = 0; i < n; ++i) {
    static_cast<U*>(z)[i] = static_cast<const U*>(x)[i] & mask;
  }
}

class CastKernel {
 public:
  static StatusOr<CastKernel> Make(const KernelInit& init) {
    CastKernel k;
    k.from_ = RemoveRef(init.input_type(0));
    k.to_ = RemoveRef(init.output_type(0));
    MR_ASSIGN_OR_RETURN(bool truncate, init.Attr<bool>("Truncate"));
    if (k.from_ == k.to_) return k;
    if (!IsPlain(k.from_) || !IsPlain(k.to_)) {
      return Unimplemented("Cast ", DataTypeName(k.from_), " to ",
                           DataTypeName(k.to_), " is not supported");
    }
    k.loop_ = kLoops[static_cast<int>(BaseType(k.from_))]
                    [static_cast<int>(BaseType(k.to_))];
    if (truncate) k.truncated_bits_ = TruncatedBits(k.from_, k.to_);
    k.parts_ = IsComplex(k.from_) && IsComplex(k.to_) ? 2 : 1;
    k.direct_ = k.truncated_bits_ == 0 &&
                ((BaseIsView(k.from_) && BaseIsView(k.to_)) || k.parts_ == 2);
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    if (from_ == to_) {
      ctx.set_output(0, x);
      return OkStatus();
    }
    MR_RETURN_IF_ERROR(ctx.BindInput(0));
    MR_ASSIGN_OR_RETURN(Tensor * z, ctx.AllocateOutput(0, x.shape()));
    const char* in = x.data();
    char* out = z->mutable_data();
    const int64_t from_bytes = SizeOf(from_) / parts_;
    const int64_t to_bytes = SizeOf(to_) / parts_;
    return ShardElements(ctx, x.num_elements() * parts_, 300,
                         [&](int64_t begin, int64_t end) {
                           if (direct_) {
                             return loop_(in + begin * from_bytes,
                                          out + begin * to_bytes, end - begin);
                           }
                           for (int64_t at = begin; at < end; at += kBlock) {
                             Block(in + at * from_bytes, out + at * to_bytes,
                                   std::min(kBlock, end - at));
                           }
                         });
  }

 private:
  // Returns whether elements of `t` are elements of its base type.
  static bool BaseIsView(DataType t) {
    return !ComputesInFloat(t) && !IsComplex(t);
  }

  void Block(const char* x, char* z, int64_t n) const {
    alignas(64) char base[kBlock * 8];
    alignas(64) char result[kBlock * 8];
    const DataType from_base = BaseType(from_);
    const DataType to_base = BaseType(to_);
    const char* in = x;
    if (ComputesInFloat(from_)) {
      ToFloats(from_, x, reinterpret_cast<float*>(base), n);
      in = base;
    } else if (IsComplex(from_) && parts_ == 1) {
      from_base == DataType::kFloat ? TakeRealParts<float>(x, base, n)
                                    : TakeRealParts<double>(x, base, n);
      in = base;
    }
    if (truncated_bits_ > 0) {
      from_base == DataType::kFloat
          ? ClearBits<uint32_t>(in, base, n, truncated_bits_)
          : ClearBits<uint64_t>(in, base, n, truncated_bits_);
      in = base;
    }
    if (ComputesInFloat(to_)) {
      loop_(in, result, n);
      FromFloats(to_, reinterpret_cast<const float*>(result), z, n);
    } else if (IsComplex(to_) && parts_ == 1) {
      loop_(in, result, n);
      to_base == DataType::kFloat ? AddZeroParts<float>(result, z, n)
                                  : AddZeroParts<double>(result, z, n);
    } else {
      loop_(in, z, n);
    }
  }

  DataType from_ = DataType::kInvalid;
  DataType to_ = DataType::kInvalid;
  CastLoop loop_ = nullptr;
  int truncated_bits_ = 0;
  int parts_ = 1;        // number of real numbers in an element
  bool direct_ = false;  // the loop reads the input, writes the output
};

}  // namespace

MR_KERNELS(Cast, Cpu){{.make = MakeKernel<CastKernel>, .views = "x"}};

}  // namespace millrace::ops
