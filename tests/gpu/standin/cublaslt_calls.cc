// The stand-in of libcublasLt: plain loops, in the order of a stream. It wants
// what NVIDIA's library wants: attributes of the right size, algorithms that it
// has given for the problem, aligned pointers, and a workspace, which it uses.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "millrace/device/cuda/cublaslt_api.h"
#include "tests/gpu/standin/calls.h"
#include "tests/gpu/standin/elements.h"
#include "tests/gpu/standin/enqueue.h"

namespace millrace::cuda {

struct BlasHandleObject {};

struct BlasProductObject {
  BlasCompute compute;
  BlasType scale;
  BlasOperation of_a = BlasOperation::kNone, of_b = BlasOperation::kNone;
  BlasEpilogue epilogue = BlasEpilogue::kNone;
  DevicePointer bias = 0;
};

struct BlasLayoutObject {
  BlasType type;
  uint64_t rows, columns;
  int64_t stride;
  int32_t batches = 1;
  int64_t batch_stride = 0;
};

struct BlasPreferenceObject {
  uint64_t max_workspace_bytes = 0;
  uint32_t alignments[4] = {256, 256, 256, 256};  // of a, b, c and d
};

namespace standin {
namespace {

struct Multiplication {
  BlasProductObject product;
  BlasLayoutObject a_layout, b_layout, d_layout;
  DevicePointer a, b, c, d, workspace;
  size_t workspace_bytes;
  alignas(16) char alpha[16], beta[16];
};

// Products with long sums want a workspace.
constexpr uint64_t kLongSum = 16;
constexpr size_t kWorkspaceBytes = 4096;

uint64_t RowsOf(BlasOperation operation, const BlasLayoutObject& layout) {
  return operation == BlasOperation::kNone ? layout.rows : layout.columns;
}
uint64_t ColumnsOf(BlasOperation operation, const BlasLayoutObject& layout) {
  return operation == BlasOperation::kNone ? layout.columns : layout.rows;
}

template <class S>
S ConjugateOf(S x) {
  return x;
}
template <class F>
std::complex<F> ConjugateOf(std::complex<F> x) {
  return std::conj(x);
}

// op(matrix)(row, column)
template <class T>
typename SumOf<T>::type Element(const T* matrix, int64_t stride,
                                BlasOperation operation, uint64_t row,
                                uint64_t column) {
  using S = typename SumOf<T>::type;
  if (operation != BlasOperation::kNone) std::swap(row, column);
  const S x = matrix[column * static_cast<uint64_t>(stride) + row];
  return operation == BlasOperation::kConjugateTranspose ? ConjugateOf(x) : x;
}

template <class S>
S ApplyEpilogue(BlasEpilogue epilogue, S x, S bias) {
  if constexpr (std::is_floating_point_v<S>) {
    if (epilogue == BlasEpilogue::kNone) return x;
    x += bias;
    // Nothing is said of NaN.
    if (epilogue == BlasEpilogue::kBiasRelu) return x > 0 ? x : S(0);
    if (epilogue == BlasEpilogue::kBiasGelu) {
      const S inner = S(0.7978845608028654) * (x + S(0.044715) * x * x * x);
      return S(0.5) * x * (S(1) + std::tanh(inner));
    }
  }
  return x;
}

template <class T>
void Compute(const Multiplication& m) {
  using S = typename SumOf<T>::type;
  S alpha, beta;
  std::memcpy(&alpha, m.alpha, sizeof(S));
  std::memcpy(&beta, m.beta, sizeof(S));
  const BlasProductObject& p = m.product;
  const uint64_t rows = m.d_layout.rows, columns = m.d_layout.columns;
  const uint64_t depth = ColumnsOf(p.of_a, m.a_layout);
  std::vector<S> of_a(depth * rows);
  for (int32_t batch = 0; batch < m.d_layout.batches; ++batch) {
    const T* const a = At<T>(m.a) + batch * m.a_layout.batch_stride;
    const T* const b = At<T>(m.b) + batch * m.b_layout.batch_stride;
    const T* const c = At<T>(m.c) + batch * m.d_layout.batch_stride;
    T* const d = At<T>(m.d) + batch * m.d_layout.batch_stride;
    for (uint64_t row = 0; row < rows; ++row) {
      for (uint64_t k = 0; k < depth; ++k) {
        of_a[row * depth + k] = Element(a, m.a_layout.stride, p.of_a, row, k);
      }
    }
    std::vector<S> of_b(depth);
    for (uint64_t column = 0; column < columns; ++column) {
      for (uint64_t k = 0; k < depth; ++k) {
        of_b[k] = Element(b, m.b_layout.stride, p.of_b, k, column);
      }
      for (uint64_t row = 0; row < rows; ++row) {
        S sum = S(0);
        for (uint64_t k = 0; k < depth; ++k) {
          sum += of_a[row * depth + k] * of_b[k];
        }
        const uint64_t at =
            column * static_cast<uint64_t>(m.d_layout.stride) + row;
        sum *= alpha;
        if (beta != S(0)) sum += beta * S(c[at]);
        const S bias =
            p.epilogue == BlasEpilogue::kNone ? S(0) : S(At<T>(p.bias)[row]);
        d[at] = ApplyEpilogue(p.epilogue, sum, bias);
      }
    }
  }
}

void RunMultiplication(void* data) {
  const std::unique_ptr<Multiplication> m(static_cast<Multiplication*>(data));
  // The library may leave anything there.
  if (m->workspace_bytes > 0) {
    std::memset(At<char>(m->workspace), 0xa5, m->workspace_bytes);
  }
  switch (m->a_layout.type) {
    case BlasType::kFloat:
      return Compute<float>(*m);
    case BlasType::kDouble:
      return Compute<double>(*m);
    case BlasType::kHalf:
      return Compute<HalfElement>(*m);
    case BlasType::kBfloat16:
      return Compute<Bfloat16Element>(*m);
    case BlasType::kComplex64:
      return Compute<std::complex<float>>(*m);
    case BlasType::kComplex128:
      return Compute<std::complex<double>>(*m);
  }
}

// Whether types, shapes and operations fit each other.
bool Fits(const BlasProductObject& p, const BlasLayoutObject& a,
          const BlasLayoutObject& b, const BlasLayoutObject& c,
          const BlasLayoutObject& d) {
  const bool is_wide =
      a.type == BlasType::kDouble || a.type == BlasType::kComplex128;
  if ((p.compute == BlasCompute::kDouble) != is_wide) return false;
  const BlasType scale =
      a.type == BlasType::kHalf || a.type == BlasType::kBfloat16
          ? BlasType::kFloat
          : a.type;
  if (p.scale != scale) return false;
  for (const BlasLayoutObject* layout : {&b, &c, &d}) {
    if (layout->type != a.type || layout->batches != a.batches) return false;
  }
  if (RowsOf(p.of_a, a) != d.rows || ColumnsOf(p.of_b, b) != d.columns ||
      ColumnsOf(p.of_a, a) != RowsOf(p.of_b, b) || c.rows != d.rows ||
      c.columns != d.columns) {
    return false;
  }
  const bool is_complex =
      a.type == BlasType::kComplex64 || a.type == BlasType::kComplex128;
  return p.epilogue == BlasEpilogue::kNone || (!is_complex && !is_wide);
}

// What an algorithm remembers of the problem that it is for.
uint64_t Fingerprint(const BlasProductObject& p, const BlasLayoutObject& a,
                     const BlasLayoutObject& b, const BlasLayoutObject& d) {
  uint64_t print = 0x9e3779b97f4a7c15u;
  for (const uint64_t n :
       {static_cast<uint64_t>(p.compute), static_cast<uint64_t>(p.of_a),
        static_cast<uint64_t>(p.of_b), static_cast<uint64_t>(p.epilogue),
        static_cast<uint64_t>(a.type), a.rows, a.columns, b.rows, b.columns,
        static_cast<uint64_t>(a.batches), static_cast<uint64_t>(a.stride),
        static_cast<uint64_t>(b.stride), d.rows, d.columns}) {
    print = (print ^ n) * 0x100000001b3u;
  }
  return print;
}

bool IsAligned(DevicePointer address, uint64_t bytes) {
  return bytes != 0 && address % bytes == 0;
}

template <class V>
bool TakeValue(V* value, const void* from, size_t bytes) {
  if (bytes != sizeof(V) || from == nullptr) return false;
  std::memcpy(value, from, sizeof(V));
  return true;
}

BlasResult ResultOf(bool ok) {
  return ok ? BlasResult::kSuccess : BlasResult::kInvalidValue;
}

}  // namespace
}  // namespace standin
}  // namespace millrace::cuda

using namespace millrace::cuda;           // NOLINT: C functions follow
using namespace millrace::cuda::standin;  // NOLINT

#define MR_STANDIN_BLAS(symbol, ...)                                   \
  extern "C" __attribute__((visibility("default"))) BlasResult symbol( \
      __VA_ARGS__)
#define MR_COUNT_BLAS(symbol)                 \
  if (const int error = CountCall(#symbol)) { \
    return static_cast<BlasResult>(error);    \
  }

MR_STANDIN_BLAS(cublasLtCreate, BlasHandle* handle) {
  MR_COUNT_BLAS(cublasLtCreate);
  *handle = new BlasHandleObject;
  return BlasResult::kSuccess;
}
MR_STANDIN_BLAS(cublasLtDestroy, BlasHandle handle) {
  MR_COUNT_BLAS(cublasLtDestroy);
  delete handle;
  return BlasResult::kSuccess;
}

MR_STANDIN_BLAS(cublasLtMatmulDescCreate, BlasProduct* product,
                BlasCompute compute, BlasType scale) {
  MR_COUNT_BLAS(cublasLtMatmulDescCreate);
  *product = new BlasProductObject{compute, scale};
  return BlasResult::kSuccess;
}
MR_STANDIN_BLAS(cublasLtMatmulDescDestroy, BlasProduct product) {
  MR_COUNT_BLAS(cublasLtMatmulDescDestroy);
  delete product;
  return BlasResult::kSuccess;
}
MR_STANDIN_BLAS(cublasLtMatmulDescSetAttribute, BlasProduct product,
                BlasProductAttribute attribute, const void* value,
                size_t bytes) {
  MR_COUNT_BLAS(cublasLtMatmulDescSetAttribute);
  switch (attribute) {
    case BlasProductAttribute::kTransposeA:
      return ResultOf(TakeValue(&product->of_a, value, bytes));
    case BlasProductAttribute::kTransposeB:
      return ResultOf(TakeValue(&product->of_b, value, bytes));
    case BlasProductAttribute::kEpilogue:
      return ResultOf(TakeValue(&product->epilogue, value, bytes));
    case BlasProductAttribute::kBiasPointer:
      return ResultOf(TakeValue(&product->bias, value, bytes));
  }
  return BlasResult::kInvalidValue;
}

MR_STANDIN_BLAS(cublasLtMatrixLayoutCreate, BlasLayout* layout, BlasType type,
                uint64_t rows, uint64_t columns, int64_t stride) {
  MR_COUNT_BLAS(cublasLtMatrixLayoutCreate);
  if (stride < static_cast<int64_t>(rows)) return BlasResult::kInvalidValue;
  *layout = new BlasLayoutObject{type, rows, columns, stride};
  return BlasResult::kSuccess;
}
MR_STANDIN_BLAS(cublasLtMatrixLayoutDestroy, BlasLayout layout) {
  MR_COUNT_BLAS(cublasLtMatrixLayoutDestroy);
  delete layout;
  return BlasResult::kSuccess;
}
MR_STANDIN_BLAS(cublasLtMatrixLayoutSetAttribute, BlasLayout layout,
                BlasLayoutAttribute attribute, const void* value,
                size_t bytes) {
  MR_COUNT_BLAS(cublasLtMatrixLayoutSetAttribute);
  switch (attribute) {
    case BlasLayoutAttribute::kBatchCount:
      return ResultOf(TakeValue(&layout->batches, value, bytes));
    case BlasLayoutAttribute::kBatchStride:
      return ResultOf(TakeValue(&layout->batch_stride, value, bytes));
  }
  return BlasResult::kInvalidValue;
}

MR_STANDIN_BLAS(cublasLtMatmulPreferenceCreate, BlasPreference* preference) {
  MR_COUNT_BLAS(cublasLtMatmulPreferenceCreate);
  *preference = new BlasPreferenceObject;
  return BlasResult::kSuccess;
}
MR_STANDIN_BLAS(cublasLtMatmulPreferenceDestroy, BlasPreference preference) {
  MR_COUNT_BLAS(cublasLtMatmulPreferenceDestroy);
  delete preference;
  return BlasResult::kSuccess;
}
MR_STANDIN_BLAS(cublasLtMatmulPreferenceSetAttribute, BlasPreference preference,
                BlasPreferenceAttribute attribute, const void* value,
                size_t bytes) {
  MR_COUNT_BLAS(cublasLtMatmulPreferenceSetAttribute);
  if (attribute == BlasPreferenceAttribute::kMaxWorkspaceBytes) {
    return ResultOf(TakeValue(&preference->max_workspace_bytes, value, bytes));
  }
  const int operand = static_cast<int>(attribute) -
                      static_cast<int>(BlasPreferenceAttribute::kAlignmentA);
  if (operand < 0 || operand >= 4) return BlasResult::kInvalidValue;
  return ResultOf(TakeValue(&preference->alignments[operand], value, bytes));
}

MR_STANDIN_BLAS(cublasLtMatmulAlgoGetHeuristic, BlasHandle handle,
                BlasProduct product, BlasLayout a, BlasLayout b, BlasLayout c,
                BlasLayout d, BlasPreference preference, int requested,
                BlasHeuristicResult* results, int* returned) {
  MR_COUNT_BLAS(cublasLtMatmulAlgoGetHeuristic);
  *returned = 0;
  if (handle == nullptr || requested < 1) return BlasResult::kInvalidValue;
  if (!Fits(*product, *a, *b, *c, *d)) return BlasResult::kNotSupported;
  BlasHeuristicResult result = {};
  result.algorithm.data[0] = Fingerprint(*product, *a, *b, *d);
  for (int i = 0; i < 4; ++i) {
    result.algorithm.data[1 + i] = preference->alignments[i];
  }
  const bool is_long = ColumnsOf(product->of_a, *a) >= kLongSum;
  result.workspace_bytes =
      is_long
          ? std::min<size_t>(preference->max_workspace_bytes, kWorkspaceBytes)
          : 0;
  result.algorithm.data[5] = result.workspace_bytes;
  results[0] = result;
  *returned = 1;
  return BlasResult::kSuccess;
}

MR_STANDIN_BLAS(cublasLtMatmul, BlasHandle handle, BlasProduct product,
                const void* alpha, DevicePointer a, BlasLayout a_layout,
                DevicePointer b, BlasLayout b_layout, const void* beta,
                DevicePointer c, BlasLayout c_layout, DevicePointer d,
                BlasLayout d_layout, const BlasAlgorithm* algorithm,
                DevicePointer workspace, size_t workspace_bytes,
                Stream stream) {
  MR_COUNT_BLAS(cublasLtMatmul);
  if (handle == nullptr || algorithm == nullptr) {
    return BlasResult::kInvalidValue;
  }
  if (!Fits(*product, *a_layout, *b_layout, *c_layout, *d_layout) ||
      algorithm->data[0] !=
          Fingerprint(*product, *a_layout, *b_layout, *d_layout) ||
      !IsAligned(a, algorithm->data[1]) || !IsAligned(b, algorithm->data[2]) ||
      !IsAligned(c, algorithm->data[3]) || !IsAligned(d, algorithm->data[4]) ||
      workspace_bytes < algorithm->data[5] ||
      (workspace_bytes > 0 && !IsAligned(workspace, 16))) {
    return BlasResult::kInvalidValue;
  }
  auto m = std::make_unique<Multiplication>(Multiplication{*product,
                                                           *a_layout,
                                                           *b_layout,
                                                           *d_layout,
                                                           a,
                                                           b,
                                                           c,
                                                           d,
                                                           workspace,
                                                           workspace_bytes,
                                                           {},
                                                           {}});
  const size_t scale_bytes = product->scale == BlasType::kFloat        ? 4
                             : product->scale == BlasType::kComplex128 ? 16
                                                                       : 8;
  std::memcpy(m->alpha, alpha, scale_bytes);
  std::memcpy(m->beta, beta, scale_bytes);
  if (millraceStandInEnqueue(stream, &RunMultiplication, m.get()) != 0) {
    return BlasResult::kExecutionFailed;
  }
  m.release();
  return BlasResult::kSuccess;
}
