// Kernels of Select and SelectV2. They only move elements, so they are written
// by element size.
#include <algorithm>
#include <cstring>

#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/broadcast.h"
#include "millrace/ops/elementwise/elementwise.h"

namespace millrace::ops {
namespace {

constexpr int64_t kPicos = 300;
constexpr int64_t kSelectBlock = 512;

// Does so for elements of two words each.
MR_TARGET_CLONES void SelectParts(const bool* c, const uint64_t* t,
                                  const uint64_t* e, uint64_t* z, int64_t n) {
  const auto* chosen = reinterpret_cast<const uint8_t*>(c);
  for (int64_t i = 0; i < n; ++i) {
    const uint64_t mask = uint64_t{0} - chosen[i];
    for (int64_t j = 2 * i; j < 2 * i + 2; ++j) {
      z[j] = e[j] ^ ((t[j] ^ e[j]) & mask);
    }
  }
}

// Both elements are read before the choice, by the bits of a mask: the compiler
// makes no vectors of a loop that reads one of two, and a random choice would
// be a branch that is mispredicted half the time.
template <class T>
MR_TARGET_CLONES void SelectSpan(const bool* c, const T* t, const T* e, T* z,
                                 int64_t n) {
  if constexpr (std::unsigned_integral<T>) {
    const auto* chosen = reinterpret_cast<const uint8_t*>(c);
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) {
      const T mask = static_cast<T>(T{0} - T{chosen[i]});
      z[i] = static_cast<T>(e[i] ^ ((t[i] ^ e[i]) & mask));
    }
  } else if constexpr (std::is_same_v<T, Complex128>) {
    SelectParts(c, reinterpret_cast<const uint64_t*>(t),
                reinterpret_cast<const uint64_t*>(e),
                reinterpret_cast<uint64_t*>(z), n);
  } else {
    for (int64_t i = 0; i < n; ++i) z[i] = c[i] ? t[i] : e[i];
  }
}

template <class T>
const T* DataAs(const Tensor& t) {
  return reinterpret_cast<const T*>(t.data());
}

Status SelectElements(KernelContext& ctx) {
  const TensorShape shape = ctx.input(1).shape();
  MR_ASSIGN_OR_RETURN(Tensor * z,
                      ctx.ForwardOrAllocateOutput({1, 2}, 0, shape));
  const bool* c = ctx.input(0).flat<bool>().data();
  return DispatchBySize(ctx.input(1).dtype(), [&]<class T>() {
    const T* t = DataAs<T>(ctx.input(1));
    const T* e = DataAs<T>(ctx.input(2));
    T* out = reinterpret_cast<T*>(z->mutable_data());
    return ShardElements(ctx, shape.num_elements(), kPicos,
                         [&](int64_t b, int64_t end) {
                           SelectSpan<T>(c + b, t + b, e + b, out + b, end - b);
                         });
  });
}

// Makes row r of the output a row of t or of e.
Status SelectRows(KernelContext& ctx) {
  const Tensor& t = ctx.input(1);
  const Tensor& e = ctx.input(2);
  MR_ASSIGN_OR_RETURN(Tensor * z, ctx.AllocateOutput(0, t.shape()));
  const int64_t row = t.shape().NumElements(1, t.rank());
  const bool* c = ctx.input(0).flat<bool>().data();
  return DispatchBySize(t.dtype(), [&]<class T>() {
    T* out = reinterpret_cast<T*>(z->mutable_data());
    return ctx.ParallelFor(t.dim(0), 50 + row / 8, [&](int64_t b, int64_t end) {
      for (int64_t r = b; r < end; ++r) {
        std::copy_n(DataAs<T>(c[r] ? t : e) + r * row, row, out + r * row);
      }
    });
  });
}

Status RunSelect(KernelContext& ctx) {
  const Tensor& c = ctx.input(0);
  const Tensor& t = ctx.input(1);
  const Tensor& e = ctx.input(2);
  const bool rows = c.rank() == 1 && t.rank() != 1;
  if (rows && t.rank() == 0) {
    return InvalidArgument("'then' must be at least a vector, but saw shape: ",
                           t.shape().DebugString());
  }
  if (rows && t.dim(0) != c.num_elements()) {
    return InvalidArgument(
        "Number of batches of 'then' must match size of 'cond', but saw: ",
        t.dim(0), " vs. ", c.num_elements());
  }
  if ((rows || c.rank() == 0) && !(t.shape() == e.shape())) {
    return InvalidArgument(
        "'then' and 'else' must have the same size.  but received: ",
        t.shape().DebugString(), " vs. ", e.shape().DebugString());
  }
  if (c.rank() == 0) {
    ctx.set_output(0, c.scalar<bool>() ? t : e);
    return OkStatus();
  }
  MR_RETURN_IF_ERROR(ctx.BindInput(1));
  MR_RETURN_IF_ERROR(ctx.BindInput(2));
  if (rows) return SelectRows(ctx);
  for (int i = 1; i < 3; ++i) {
    if (!(ctx.input(i).shape() == c.shape())) {
      return InvalidArgument("Inputs to operation ", ctx.node().name,
                             " of type ", ctx.node().op->name,
                             " must have the same size and shape.  Input 0: ",
                             c.shape().DebugString(), " != input ", i, ": ",
                             ctx.input(i).shape().DebugString());
    }
  }
  return SelectElements(ctx);
}

// Rows of at least this many elements are copied if they share a condition.
constexpr int64_t kCopiedRow = 8;

// Copies or fills the rows of the innermost dimension, each of which takes all
// its elements from one operand; what already lies in the output stays.
template <class T>
Status SelectRowsOf(KernelContext& ctx, const Broadcast& b, Tensor& z) {
  const bool* c = DataAs<bool>(ctx.input(0));
  const T* data[] = {nullptr, DataAs<T>(ctx.input(1)), DataAs<T>(ctx.input(2))};
  T* out = reinterpret_cast<T*>(z.mutable_data());
  return ShardElements(ctx, b.total(), kPicos, [&](int64_t begin, int64_t end) {
    b.ForEachSpan(begin, end, [&](const int64_t* at, int64_t first, int64_t n) {
      const int chosen = c[at[0]] ? 1 : 2;
      const T* from = data[chosen] + at[chosen];
      if (b.inner_is_scalar(chosen)) {
        std::fill_n(out + first, n, *from);
      } else if (from != out + first) {
        std::copy_n(from, n, out + first);
      }
    });
  });
}

// Expands operands block by block if they do not have an element for each
// output.
template <class T>
Status SelectBlocks(KernelContext& ctx, const Broadcast& b, Tensor& z) {
  const bool* c = DataAs<bool>(ctx.input(0));
  const T* t = DataAs<T>(ctx.input(1));
  const T* e = DataAs<T>(ctx.input(2));
  T* out = reinterpret_cast<T*>(z.mutable_data());
  const auto spread = [&b](int operand, const auto* data, int64_t at, int64_t n,
                           char* block) {
    using E = std::decay_t<decltype(*data)>;
    if (b.IsDense(operand)) return data + at;
    b.Gather(operand, reinterpret_cast<const char*>(data), at, n, sizeof(E),
             block);
    return reinterpret_cast<const E*>(block);
  };
  return ShardElements(
      ctx, b.total(), 2 * kPicos, [&](int64_t begin, int64_t end) {
        alignas(64) char c_block[kSelectBlock];
        alignas(64) char t_block[kSelectBlock * sizeof(T)];
        alignas(64) char e_block[kSelectBlock * sizeof(T)];
        for (int64_t at = begin; at < end; at += kSelectBlock) {
          const int64_t n = std::min(kSelectBlock, end - at);
          SelectSpan<T>(spread(0, c, at, n, c_block),
                        spread(1, t, at, n, t_block),
                        spread(2, e, at, n, e_block), out + at, n);
        }
      });
}

// Assigns strings and handles one by one.
template <class T>
Status SelectOneByOne(KernelContext& ctx, const Broadcast& b, Tensor& z) {
  const bool* c = DataAs<bool>(ctx.input(0));
  const T* t = DataAs<T>(ctx.input(1));
  const T* e = DataAs<T>(ctx.input(2));
  T* out = reinterpret_cast<T*>(z.mutable_data());
  int64_t step[3];
  for (int o = 0; o < 3; ++o) step[o] = b.inner_is_scalar(o) ? 0 : 1;
  b.ForEachSpan(0, b.total(), [&](const int64_t* at, int64_t begin, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      out[begin + i] = c[at[0] + i * step[0]] ? t[at[1] + i * step[1]]
                                              : e[at[2] + i * step[2]];
    }
  });
  return OkStatus();
}

Status RunSelectV2(KernelContext& ctx) {
  const TensorShape& c = ctx.input(0).shape();
  const TensorShape& t = ctx.input(1).shape();
  const TensorShape& e = ctx.input(2).shape();
  if (c == t && t == e) return SelectElements(ctx);
  StatusOr<Broadcast> b = Broadcast::Make({&c, &t, &e});
  if (!b.ok()) {
    return InvalidArgument("condition ", c.DebugString(), ", then ",
                           t.DebugString(), ", and else ", e.DebugString(),
                           " must be broadcastable");
  }
  if (c.num_elements() == 1) {
    const int chosen = ctx.input(0).scalar<bool>() ? 1 : 2;
    if (ctx.input(chosen).shape() == b->shape()) {
      ctx.set_output(0, ctx.input(chosen));
      return OkStatus();
    }
  }
  MR_ASSIGN_OR_RETURN(Tensor * z,
                      ctx.ForwardOrAllocateOutput({1, 2}, 0, b->shape()));
  return DispatchBySize(ctx.input(1).dtype(), [&]<class T>() {
    if constexpr (std::is_trivially_copyable_v<T>) {
      if (b->inner_is_scalar(0) && b->inner_size() >= kCopiedRow) {
        return SelectRowsOf<T>(ctx, *b, *z);
      }
      return SelectBlocks<T>(ctx, *b, *z);
    } else {
      return SelectOneByOne<T>(ctx, *b, *z);
    }
  });
}

constexpr char kSelectTypes[] =
    "T: bfloat16, half, float, double, int8, int16, int32, int64, uint8, "
    "uint16, uint32, uint64, complex64, complex128, bool, string, resource, "
    "variant";

}  // namespace

MR_KERNELS(Select, Cpu){{.types = kSelectTypes,
                         .make = MakeFunctionKernel<RunSelect>,
                         .views = "t, e"}};
MR_KERNELS(SelectV2, Cpu){
    {.types = kSelectTypes, .make = MakeFunctionKernel<RunSelectV2>}};

}  // namespace millrace::ops
