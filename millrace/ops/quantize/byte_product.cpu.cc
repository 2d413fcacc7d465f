#include "millrace/ops/quantize/byte_product.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "millrace/base/memory/checked_size.h"
#include "millrace/base/memory/counted_vector.h"
#include "millrace/base/target_clones.h"
#include "millrace/base/threads/thread.h"
#include "millrace/device/cpu/dnnl.h"

namespace millrace::ops {
namespace {

using dnnl::memory;

// oneDNN cannot be cancelled, so a product is cut into parts of this many
// multiply-adds, which take about a tenth of a second.
constexpr int64_t kLongestByteProduct = int64_t{1} << 34;
// Rows that do not lie side by side are copied; this many bytes at a time stay
// in a processor's cache.
constexpr int64_t kCopiedRowBytes = int64_t{1} << 19;
constexpr int64_t kFewestRows = 64;
// A product of bytes takes about as long as one of floats with this part of the
// multiply-adds, by which a DnnlRun chooses its threads.
constexpr int64_t kFloatsOfBytes = 4;
// The difference of numbers without and with sign.
constexpr int32_t kSignOffset = 128;

// A product with kept columns.
struct KeptProduct {
  memory::desc a, c;
  dnnl::matmul primitive;
};

dnnl::matmul::primitive_desc DescribeBytes(int64_t m, int64_t k, int64_t n,
                                           const memory::desc& columns,
                                           KeptProduct* made) {
  made->a = memory::desc({m, k}, memory::data_type::u8, memory::format_tag::ab);
  made->c =
      memory::desc({m, n}, memory::data_type::s32, memory::format_tag::ab);
  return dnnl::matmul::primitive_desc(
      dnnl::matmul::desc(made->a, columns, made->c), DnnlAttr(), DnnlEngine());
}

// Runs within DnnlTry.
StatusOr<KeptProduct> MakeKeptProduct(int64_t m, int64_t k, int64_t n,
                                      const memory::desc& columns) {
  KeptProduct made;
  const auto described = DescribeBytes(m, k, n, columns, &made);
  // oneDNN's plain loops are slower than ours.
  if (absl::StartsWith(described.impl_info_str(), "ref")) {
    return Unimplemented("oneDNN has only a plain product of bytes");
  }
  made.primitive = dnnl::matmul(described);
  return made;
}

// Copies rows [begin, end) of the matrix with their signs; `flip` is 0x80 for
// numbers that had none.
MR_TARGET_CLONES void CopySigned(const uint8_t* from, int64_t column_stride,
                                 uint8_t flip, uint8_t* to, int64_t n) {
  if (column_stride == 1) {
    for (int64_t j = 0; j < n; ++j) to[j] = from[j] ^ flip;
  } else {
    for (int64_t j = 0; j < n; ++j) to[j] = from[j * column_stride] ^ flip;
  }
}

MR_TARGET_CLONES void AddSigned(const int8_t* x, uint32_t* sums, int64_t n) {
  for (int64_t j = 0; j < n; ++j) {
    sums[j] += static_cast<uint32_t>(int32_t{x[j]});
  }
}

MR_TARGET_CLONES uint32_t SumOfBytes(const uint8_t* x, int64_t n) {
  uint32_t sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += x[i];
  return sum;
}

// Subtracts what zeros other than 0 add to a row of sums.
MR_TARGET_CLONES void SubtractZeros(uint32_t of_row, uint32_t a_zero,
                                    const uint32_t* column_sums, uint32_t* c,
                                    int64_t n) {
  for (int64_t j = 0; j < n; ++j) c[j] += of_row - a_zero * column_sums[j];
}

// The numbers with signs, k x n and row-major: a copy, unless they are that
// already.
StatusOr<Tensor> SignedNumbers(KernelContext& ctx, const ColumnMatrix& b) {
  const bool has_signs = b.numbers.dtype() == DataType::kQint8;
  if (has_signs && !b.transposed) return b.numbers;
  MR_ASSIGN_OR_RETURN(
      Tensor copy, ctx.AllocateTemp(DataType::kInt8, TensorShape({b.k, b.n})));
  const auto* from = reinterpret_cast<const uint8_t*>(b.numbers.data());
  auto* to = reinterpret_cast<uint8_t*>(copy.mutable_data());
  const auto flip = static_cast<uint8_t>(has_signs ? 0 : kSignOffset);
  MR_RETURN_IF_ERROR(ctx.ParallelFor(
      b.k, b.n / (b.transposed ? 1 : 16) + 1, [&](int64_t begin, int64_t end) {
        for (int64_t d = begin; d < end; ++d) {
          CopySigned(b.transposed ? from + d : from + d * b.n,
                     b.transposed ? b.k : 1, flip, to + d * b.n, b.n);
        }
      }));
  return copy;
}

CountedVector<uint32_t> SumColumns(const Tensor& numbers, int64_t k,
                                   int64_t n) {
  CountedVector<uint32_t> sums(static_cast<size_t>(n), 0);
  const auto* from = reinterpret_cast<const int8_t*>(numbers.data());
  for (int64_t d = 0; d < k; ++d) AddSigned(from + d * n, sums.data(), n);
  return sums;
}

// The second factor's number among the inputs of all kernels.
constexpr int kColumnsInput = 1;

// Whether the second factor comes in each run, and stays as it is.
bool MayKeep(const KernelContext& ctx, const Tensor& t) {
  return ctx.node().HasConstantInput(kColumnsInput) && t.buffer() != nullptr &&
         !t.buffer()->is_lent() && !t.IsUnshared();
}

}  // namespace

// A second factor in oneDNN's order.
struct ByteProduct::Kept {
  Tensor numbers;  // as they came; nobody changes them while this is held
  bool transposed = false;
  int64_t k = 0, n = 0;
  CountedVector<uint32_t> sums;  // of the columns, with signs
  memory::desc form;
  Ref<Buffer> columns;
  DnnlCache<KeptProduct> products;

  bool Is(const ColumnMatrix& b) const {
    return numbers.data() == b.numbers.data() &&
           numbers.dtype() == b.numbers.dtype() && k == b.k && n == b.n &&
           transposed == b.transposed;
  }
  // What a zero of these numbers is, where they have signs.
  int32_t SignedZero(int32_t zero) const {
    return numbers.dtype() == DataType::kQint8
               ? zero
               : static_cast<int32_t>(static_cast<uint32_t>(zero) -
                                      kSignOffset);
  }

  Status Make(KernelContext& ctx, int64_t m, const ColumnMatrix& b);
  Status Multiply(KernelContext& ctx, int64_t m, const RowSource& a,
                  uint32_t a_zero, uint32_t b_zero, int32_t* c) const;
};

struct ByteProduct::State {
  Mutex mu;
  std::shared_ptr<const Kept> kept;     // guarded by mu
  std::atomic<bool> is_refused{false};  // oneDNN has no fast product
};

Status ByteProduct::Kept::Make(KernelContext& ctx, int64_t m,
                               const ColumnMatrix& b) {
  numbers = b.numbers;
  transposed = b.transposed;
  k = b.k;
  n = b.n;
  MR_ASSIGN_OR_RETURN(const Tensor with_signs, SignedNumbers(ctx, b));
  sums = SumColumns(with_signs, k, n);
  DnnlRun run(ctx, 0);  // one thread: this happens once
  const memory::desc plain({k, n}, memory::data_type::s8,
                           memory::format_tag::ab);
  dnnl::reorder reorder;
  MR_RETURN_IF_ERROR(DnnlTry([&] {
    KeptProduct unused;
    form = DescribeBytes(m, k, n,
                         memory::desc({k, n}, memory::data_type::s8,
                                      memory::format_tag::any),
                         &unused)
               .weights_desc();
    reorder = dnnl::reorder(dnnl::reorder::primitive_desc(
        DnnlEngine(), plain, DnnlEngine(), form, DnnlAttr()));
  }));
  MR_ASSIGN_OR_RETURN(columns, run.allocator().Allocate(form.get_size()));
  return run.Execute(reorder,
                     {{DNNL_ARG_FROM, DnnlMemory(plain, with_signs.data())},
                      {DNNL_ARG_TO, DnnlMemory(form, columns->data())}});
}

Status ByteProduct::Kept::Multiply(KernelContext& ctx, int64_t m,
                                   const RowSource& a, uint32_t a_zero,
                                   uint32_t b_zero, int32_t* c) const {
  const uint8_t* const in_place = a.InPlace();
  int64_t part = std::max(kLongestByteProduct / (k * n), kFewestRows);
  Tensor copy;
  if (in_place == nullptr) {
    part = std::min({part, m, std::max(kCopiedRowBytes / k, kFewestRows)});
    MR_ASSIGN_OR_RETURN(
        copy, ctx.AllocateTemp(DataType::kUint8, TensorShape({part, k})));
  }
  const uint32_t zeros = static_cast<uint32_t>(k) * a_zero * b_zero;
  for (int64_t row = 0; row < m; row += part) {
    if (row > 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    const int64_t rows = std::min(part, m - row);
    const uint8_t* bytes = in_place + (in_place == nullptr ? 0 : row * k);
    if (in_place == nullptr) {
      uint8_t* const to = copy.mutable_flat<uint8_t>().data();
      MR_RETURN_IF_ERROR(
          ctx.ParallelFor(rows, k / 8 + 10, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
              a.Fill(row + i, 0, k, to + i * k);
            }
          }));
      bytes = to;
    }
    int32_t* const part_of_c = c + row * n;
    {
      DnnlRun run(ctx, rows * k * n / kFloatsOfBytes);
      MR_ASSIGN_OR_RETURN(const auto product, products.Get({rows}, run, [&] {
        return MakeKeptProduct(rows, k, n, form);
      }));
      MR_RETURN_IF_ERROR(
          run.Execute(product->primitive,
                      {{DNNL_ARG_SRC, DnnlMemory(product->a, bytes)},
                       {DNNL_ARG_WEIGHTS, DnnlMemory(form, columns->data())},
                       {DNNL_ARG_DST, DnnlMemory(product->c, part_of_c)}}));
    }
    if (a_zero == 0 && b_zero == 0) continue;
    MR_RETURN_IF_ERROR(ctx.ParallelFor(
        rows, n / 8 + (b_zero == 0 ? 0 : k / 16) + 5,
        [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const uint32_t row_sum =
                b_zero == 0 ? 0 : SumOfBytes(bytes + i * k, k);
            SubtractZeros(zeros - b_zero * row_sum, a_zero, sums.data(),
                          reinterpret_cast<uint32_t*>(part_of_c + i * n), n);
          }
        }));
  }
  return OkStatus();
}

ByteProduct::ByteProduct() : state_(std::make_unique<State>()) {}
ByteProduct::ByteProduct(ByteProduct&&) noexcept = default;
ByteProduct& ByteProduct::operator=(ByteProduct&&) noexcept = default;
ByteProduct::~ByteProduct() = default;

bool ByteProduct::IsFast() {
  // Older processors multiply bytes by instructions that limit the sum of two
  // products to 16 bits.
  static const bool is_fast = [] {
    const auto has = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
    const auto wants = static_cast<unsigned>(dnnl::cpu_isa::avx512_core_vnni);
    return (has & wants) == wants;
  }();
  return is_fast;
}

bool ByteProduct::KeepsColumns() const {
  MutexLock lock(state_->mu);
  return state_->kept != nullptr;
}

StatusOr<std::shared_ptr<const ByteProduct::Kept>> ByteProduct::Find(
    KernelContext& ctx, int64_t m, const ColumnMatrix& b) const {
  State& s = *state_;
  if (!IsFast() || s.is_refused || !MayKeep(ctx, b.numbers)) {
    return std::shared_ptr<const Kept>();
  }
  {
    MutexLock lock(s.mu);
    if (s.kept != nullptr && s.kept->Is(b)) return s.kept;
  }
  auto made = std::make_shared<Kept>();
  MR_RETURN_IF_ERROR(made->Make(ctx, m, b));
  std::shared_ptr<const Kept> kept = std::move(made), old;
  MutexLock lock(s.mu);
  old = std::exchange(s.kept, kept);
  return kept;
}

Status ByteProduct::Run(KernelContext& ctx, int64_t m, const RowSource& a,
                        int32_t a_zero, const ColumnMatrix& b, int32_t b_zero,
                        int32_t* c) const {
  if (m == 0 || b.n == 0) return OkStatus();
  auto kept = Find(ctx, m, b);
  Status status = kept.status();
  if (kept.ok() && *kept != nullptr) {
    const Kept& columns = **kept;
    status =
        columns.Multiply(ctx, m, a, static_cast<uint32_t>(a_zero),
                         static_cast<uint32_t>(columns.SignedZero(b_zero)), c);
    if (status.ok()) return status;
  }
  if (status.code() == StatusCode::kUnimplemented) {
    state_->is_refused = true;
  } else if (!status.ok()) {
    return status;
  }
  const int64_t depth_stride = b.transposed ? 1 : b.n;
  const int64_t column_stride = b.transposed ? b.k : 1;
  const auto pack = [&]<class I>() {
    return PackedColumns::Make(ctx,
                               reinterpret_cast<const I*>(b.numbers.data()),
                               b.k, b.n, depth_stride, column_stride);
  };
  MR_ASSIGN_OR_RETURN(const PackedColumns columns,
                      b.numbers.dtype() == DataType::kQint8
                          ? pack.template operator()<int8_t>()
                          : pack.template operator()<uint8_t>());
  return QuantizedGemm(ctx, m, a, columns, a_zero, b_zero, c);
}

StatusOr<CountedVector<int32_t>> ByteProduct::ColumnSums(
    KernelContext& ctx, const ColumnMatrix& b) const {
  CountedVector<uint32_t> sums;
  {
    MutexLock lock(state_->mu);
    if (state_->kept != nullptr && state_->kept->Is(b)) {
      sums = state_->kept->sums;
    }
  }
  if (sums.empty()) {
    MR_ASSIGN_OR_RETURN(const Tensor with_signs, SignedNumbers(ctx, b));
    sums = SumColumns(with_signs, b.k, b.n);
  }
  const uint32_t more = b.numbers.dtype() == DataType::kQint8
                            ? 0
                            : static_cast<uint32_t>(b.k) * kSignOffset;
  CountedVector<int32_t> numbers;
  numbers.reserve(sums.size());
  for (const uint32_t sum : sums) {
    numbers.push_back(static_cast<int32_t>(sum + more));
  }
  return numbers;
}

}  // namespace millrace::ops
