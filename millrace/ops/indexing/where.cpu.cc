#include <algorithm>
#include <array>
#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/move.h"

namespace millrace::ops {
namespace {

// Describes elements as words whose bits under `mask` are all 0 for zero: the
// sign of a floating-point number is ignored, since there is a negative zero.
struct Bits {
  int words = 1;  // in an element
  size_t word_bytes = 1;
  uint64_t mask = ~uint64_t{0};
};

Bits BitsOf(DataType t) {
  constexpr uint64_t kFloatMask = 0x7fffffffu;
  switch (t) {
    case DataType::kHalf:
    case DataType::kBfloat16:
      return {1, 2, 0x7fff};
    case DataType::kFloat:
      return {1, 4, kFloatMask};
    case DataType::kComplex64:
      return {1, 8, kFloatMask << 32 | kFloatMask};
    case DataType::kDouble:
      return {1, 8, ~(uint64_t{1} << 63)};
    case DataType::kComplex128:
      return {2, 8, ~(uint64_t{1} << 63)};
    default:
      return {1, SizeOf(t), ~uint64_t{0}};
  }
}

// Calls f(i) for the elements i in [begin, end) that are not zero.
template <class U, int kWords, class F>
void ForNonZero(const char* data, U mask, int64_t begin, int64_t end, F&& f) {
  const U* x = reinterpret_cast<const U*>(data);
  for (int64_t i = begin; i < end; ++i) {
    U bits = static_cast<U>(x[i * kWords] & mask);
    if constexpr (kWords == 2) bits |= static_cast<U>(x[i * 2 + 1] & mask);
    if (bits != 0) f(i);
  }
}

template <class F>
void ForNonZero(const Tensor& t, int64_t begin, int64_t end, F&& f) {
  const Bits b = BitsOf(t.dtype());
  if (b.words == 2) {
    ForNonZero<uint64_t, 2>(t.data(), b.mask, begin, end, f);
  } else if (b.word_bytes == 1) {
    ForNonZero<uint8_t, 1>(t.data(), static_cast<uint8_t>(b.mask), begin, end,
                           f);
  } else if (b.word_bytes == 2) {
    ForNonZero<uint16_t, 1>(t.data(), static_cast<uint16_t>(b.mask), begin, end,
                            f);
  } else if (b.word_bytes == 4) {
    ForNonZero<uint32_t, 1>(t.data(), static_cast<uint32_t>(b.mask), begin, end,
                            f);
  } else {
    ForNonZero<uint64_t, 1>(t.data(), b.mask, begin, end, f);
  }
}

// Writes the coordinates of the elements of [begin, end) that are not zero.
// kRank is the rank, or 0 for any.
template <int kRank>
void WriteRows(const Tensor& in, const DimVector& dims, int64_t begin,
               int64_t end, int64_t* row) {
  const int rank = kRank > 0 ? kRank : in.rank();
  const int64_t inner = dims[rank - 1];
  // The coordinates of the innermost line that contained the last element.
  int64_t line = -1 - inner;
  std::array<int64_t, kRank> fixed = {};
  DimVector any(static_cast<size_t>(kRank > 0 ? 0 : rank));
  int64_t* at = kRank > 0 ? fixed.data() : any.data();
  ForNonZero(in, begin, end, [&](int64_t i) {
    if (i - line >= inner) {
      const DimVector now = Coordinates(i, dims);
      std::copy(now.begin(), now.end(), at);
      line = i - at[rank - 1];
    }
    for (int d = 0; d < rank - 1; ++d) row[d] = at[d];
    row[rank - 1] = i - line;
    row += rank;
  });
}

Status WhereKernel(KernelContext& ctx) {
  const Tensor& in = ctx.input(0);
  const int rank = in.rank();
  if (rank == 0)
    return InvalidArgument("WhereOp : Unhandled input dimensions: 0");
  // Counts by block, so that each block knows where its rows begin.
  constexpr int64_t kBlock = 1 << 14;
  const int64_t total = in.num_elements();
  const int64_t blocks = (total + kBlock - 1) / kBlock;
  std::vector<int64_t> first(static_cast<size_t>(blocks) + 1);
  MR_RETURN_IF_ERROR(
      ctx.ParallelFor(blocks, kBlock, [&](int64_t begin, int64_t end) {
        for (int64_t b = begin; b < end; ++b) {
          int64_t n = 0;
          ForNonZero(in, b * kBlock, std::min(total, (b + 1) * kBlock),
                     [&n](int64_t) { ++n; });
          first[b + 1] = n;
        }
      }));
  for (int64_t b = 0; b < blocks; ++b) first[b + 1] += first[b];
  MR_ASSIGN_OR_RETURN(TensorShape shape,
                      TensorShape::Make({first[blocks], int64_t{rank}}));
  MR_ASSIGN_OR_RETURN(Tensor * out, ctx.AllocateOutput(0, std::move(shape)));
  if (first[blocks] == 0) return OkStatus();
  int64_t* rows = out->mutable_flat<int64_t>().data();
  const DimVector dims = in.shape().dims();
  const auto write = rank == 1   ? WriteRows<1>
                     : rank == 2 ? WriteRows<2>
                     : rank == 3 ? WriteRows<3>
                                 : WriteRows<0>;
  return ctx.ParallelFor(blocks, kBlock * 2, [&](int64_t begin, int64_t end) {
    write(in, dims, begin * kBlock, std::min(total, end * kBlock),
          rows + first[begin] * rank);
  });
}

}  // namespace

MR_KERNELS(Where, Cpu){
    {.types = "T: " MR_PLAIN_TYPES, .make = MakeFunctionKernel<WhereKernel>}};

}  // namespace millrace::ops
