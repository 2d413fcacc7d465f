#include "millrace/ops/product/bfloat16_product.h"

#include "millrace/base/target_clones.h"

namespace millrace::ops {
// Function clones need external linkage.
namespace bfloat16_product {

MR_TARGET_CLONES void JoinRows(const uint16_t* x, const uint16_t* y,
                               uint32_t* z, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    z[i] = uint32_t{x[i]} | uint32_t{y[i]} << 16;
  }
}

}  // namespace bfloat16_product

namespace {

using dnnl::memory;

// oneDNN packs an unpacked b again for each block of rows of a, and its own
// packing takes twice as long as ours. From this number of rows on, packing b
// first is faster. (On two cores 1024 x 1024 times 1024 x 1024 takes 5.25 ms
// unpacked, 4.77 packed.)
constexpr int64_t kPackingRows = 1024;
constexpr int64_t kStrip = 64;

bool MayPack(const MatrixProblem& p) {
  return !p.transpose_b && p.m >= kPackingRows && p.k % 32 == 0 &&
         p.n % kStrip == 0 && p.k >= 256 && p.n >= 256;
}

}  // namespace

void PackBfloat16(const uint16_t* b, int64_t k, int64_t n, int64_t begin,
                  int64_t end, uint32_t* packed) {
  for (int64_t pair = begin; pair < end; ++pair) {
    const uint16_t* const rows = b + 2 * pair * n;
    for (int64_t column = 0; column < n; column += kStrip) {
      bfloat16_product::JoinRows(rows + column, rows + n + column,
                                 packed + column * (k / 2) + pair * kStrip,
                                 kStrip);
    }
  }
}

StatusOr<Bfloat16Product::Primitive> Bfloat16Product::Make(
    const MatrixProblem& p) {
  const auto type = memory::data_type::bf16;
  const auto plain = memory::format_tag::ab;
  const auto transposed = memory::format_tag::ba;
  Primitive made;
  made.a = memory::desc({p.m, p.k}, type, p.transpose_a ? transposed : plain);
  made.b = memory::desc({p.k, p.n}, type, p.transpose_b ? transposed : plain);
  made.c = memory::desc({p.m, p.n}, type, plain);
  const auto product = [&](const memory::desc& b) {
    return dnnl::matmul::primitive_desc(dnnl::matmul::desc(made.a, b, made.c),
                                        DnnlAttr(), DnnlEngine());
  };
  if (MayPack(p)) {
    // Machines without products of bfloat16 prefer another order, and compute
    // slowly in this one.
    const memory::desc strips({p.k, p.n}, type, memory::format_tag::BA16a64b2a);
    const auto wanted =
        product(memory::desc({p.k, p.n}, type, memory::format_tag::any));
    if (wanted.weights_desc() == strips) {
      made.packs = true;
      made.b = strips;
      made.primitive = dnnl::matmul(wanted);
      return made;
    }
  }
  made.primitive = dnnl::matmul(product(made.b));
  return made;
}

Status Bfloat16Product::Run(KernelContext& ctx, const MatrixProblem& p,
                            const char* a, const char* b, char* c) const {
  DnnlRun run(ctx, p.m * p.k * p.n);
  MR_ASSIGN_OR_RETURN(
      auto made, cache_.Get({p.m, p.k, p.n, p.transpose_a, p.transpose_b}, run,
                            [&] { return Make(p); }));
  Tensor packed;
  if (made->packs) {
    MR_ASSIGN_OR_RETURN(
        packed, ctx.AllocateTemp(DataType::kUint16, TensorShape({p.k, p.n})));
  }
  int64_t in_packed = -1;  // index of the packed matrix of b
  for (int64_t i = 0; i < p.batches; ++i) {
    MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    const char* factor = b + p.BIndex(i) * p.k * p.n * 2;
    if (made->packs) {
      if (p.BIndex(i) != in_packed) {
        auto* const to = reinterpret_cast<uint32_t*>(packed.mutable_data());
        run.ForMembers([&](int index, int width) {
          const int64_t pairs = p.k / 2;
          PackBfloat16(reinterpret_cast<const uint16_t*>(factor), p.k, p.n,
                       pairs * index / width, pairs * (index + 1) / width, to);
        });
        in_packed = p.BIndex(i);
      }
      factor = packed.data();
    }
    MR_RETURN_IF_ERROR(run.Execute(
        made->primitive,
        {{DNNL_ARG_SRC, DnnlMemory(made->a, a + p.AIndex(i) * p.m * p.k * 2)},
         {DNNL_ARG_WEIGHTS, DnnlMemory(made->b, factor)},
         {DNNL_ARG_DST, DnnlMemory(made->c, c + i * p.m * p.n * 2)}}));
  }
  return OkStatus();
}

}  // namespace millrace::ops
