#include "millrace/device/cuda/cublaslt.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "millrace/base/log.h"
#include "millrace/device/cuda/libraries.h"
#include "millrace/device/cuda/tf32.h"

namespace millrace::cuda {
namespace {

// What NVIDIA recommends for its largest devices; no algorithm needs it.
constexpr uint64_t kMaxWorkspaceBytes = uint64_t{32} << 20;

const char* NameOf(BlasResult result) {
  switch (result) {
    case BlasResult::kSuccess:
      return "success";
    case BlasResult::kNotInitialized:
      return "not initialized";
    case BlasResult::kAllocationFailed:
      return "allocation failed";
    case BlasResult::kInvalidValue:
      return "invalid value";
    case BlasResult::kArchitectureMismatch:
      return "not for this architecture";
    case BlasResult::kMappingError:
      return "mapping error";
    case BlasResult::kExecutionFailed:
      return "execution failed";
    case BlasResult::kInternalError:
      return "internal error";
    case BlasResult::kNotSupported:
      return "not supported";
  }
  return "unknown error";
}

// Whether a result says that the library does not compute this product on this
// card, which is no failure.
bool IsUnsupported(BlasResult result) {
  return result == BlasResult::kNotSupported ||
         result == BlasResult::kArchitectureMismatch;
}

// Returns RESOURCE_EXHAUSTED if the library has no memory, else INTERNAL.
Status BlasStatus(BlasResult result, const char* call) {
  if (result == BlasResult::kSuccess) return OkStatus();
  const std::string text =
      absl::StrCat("cuBLASLt: ", call, " failed: ", NameOf(result), " (",
                   static_cast<int>(result), ")");
  return result == BlasResult::kAllocationFailed ? ResourceExhausted(text)
                                                 : Internal(text);
}

#define MR_BLAS(call) MR_RETURN_IF_ERROR(BlasStatus(blas_.call, #call))

BlasType TypeOf(DataType type) {
  switch (type) {
    case DataType::kHalf:
      return BlasType::kHalf;
    case DataType::kBfloat16:
      return BlasType::kBfloat16;
    case DataType::kDouble:
      return BlasType::kDouble;
    case DataType::kComplex64:
      return BlasType::kComplex64;
    case DataType::kComplex128:
      return BlasType::kComplex128;
    default:
      return BlasType::kFloat;
  }
}

// The type of the factors of a product, which is also that of its sums.
BlasType ScaleOf(DataType type) {
  const BlasType own = TypeOf(type);
  return own == BlasType::kHalf || own == BlasType::kBfloat16 ? BlasType::kFloat
                                                              : own;
}

bool IsWide(DataType type) {
  return type == DataType::kDouble || type == DataType::kComplex128;
}

// The factors 1 and 0; complex ones have a second part.
struct Factors {
  alignas(16) double one[2] = {}, zero[2] = {};

  explicit Factors(DataType type) {
    const float narrow = 1;
    if (IsWide(type)) {
      one[0] = 1;
    } else {
      std::memcpy(one, &narrow, sizeof(narrow));
    }
  }
};

// Returns the largest power of two up to 256 that divides the address.
uint32_t AlignmentOf(GpuPointer p) {
  return static_cast<uint32_t>(
      std::min<uint64_t>(256, p.address & (~p.address + 1)));
}

BlasOperation OperationOf(bool transpose, bool conjugate) {
  return !transpose  ? BlasOperation::kNone
         : conjugate ? BlasOperation::kConjugateTranspose
                     : BlasOperation::kTranspose;
}

constexpr int kCublasLtMajors[] = {12, 13};

StatusOr<Blas> FindBlas(const Library& library) {
  Blas calls;
  CallFinder find(library);
  MILLRACE_CUDA_CUBLASLT_CALLS(MR_FIND_CUDA_CALL)
  MR_RETURN_IF_ERROR(find.status());
  return calls;
}

// Returns the library of this process, loaded by the first call; null without
// it, which is then logged.
const Blas* ProcessBlas(int driver_version) {
  static constinit ProcessLibrary<Blas> blas;
  return blas.GetOptional(
      "cuBLASLt", "products of matrices on GPUs are slower", [&] {
        return OpenCalls<Blas>(
            NamesOfVersions("libcublasLt.so", kCublasLtMajors,
                            driver_version / 1000),
            FindBlas);
      });
}

}  // namespace

// Rows of ours are columns of the library's, so the operands change places:
// its first one is our b.
struct BlasProducts::Plan {
  explicit Plan(const Blas& b) : blas(b) {}
  ~Plan() {
    for (const BlasLayout layout : {a, b, c}) {
      if (layout != nullptr) blas.LayoutDestroy(layout);
    }
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  const Blas& blas;
  BlasLayout a = nullptr, b = nullptr, c = nullptr;
  bool has_algorithm = false;
  BlasAlgorithm algorithm = {};
  size_t workspace_bytes = 0;
};

StatusOr<std::unique_ptr<BlasProducts>> BlasProducts::Make(const Blas& blas) {
  BlasHandle handle = nullptr;
  MR_RETURN_IF_ERROR(BlasStatus(blas.Create(&handle), "cublasLtCreate"));
  return std::unique_ptr<BlasProducts>(
      new BlasProducts(blas, handle, AllowsTf32()));
}

BlasProducts::~BlasProducts() {
  plans_.clear();
  blas_.Destroy(handle_);
}

bool BlasProducts::Takes(DataType type) {
  return type == DataType::kFloat || TypeOf(type) != BlasType::kFloat;
}

BlasCompute BlasProducts::ComputeOf(DataType type) const {
  if (IsWide(type)) return BlasCompute::kDouble;
  if (allows_tf32_ &&
      (type == DataType::kFloat || type == DataType::kComplex64)) {
    return BlasCompute::kFloatByTf32;
  }
  return BlasCompute::kFloat;
}

Status BlasProducts::MakeProduct(const StridedProduct& p,
                                 const ProductEpilogue& epilogue,
                                 BlasProduct* product) const {
  MR_BLAS(ProductCreate(product, ComputeOf(p.type), ScaleOf(p.type)));
  const BlasOperation of_a = OperationOf(p.transpose_b, p.conjugate_b);
  const BlasOperation of_b = OperationOf(p.transpose_a, p.conjugate_a);
  MR_BLAS(ProductSetAttribute(*product, BlasProductAttribute::kTransposeA,
                              &of_a, sizeof(of_a)));
  MR_BLAS(ProductSetAttribute(*product, BlasProductAttribute::kTransposeB,
                              &of_b, sizeof(of_b)));
  if (epilogue.kind == BlasEpilogue::kNone) return OkStatus();
  MR_BLAS(ProductSetAttribute(*product, BlasProductAttribute::kEpilogue,
                              &epilogue.kind, sizeof(epilogue.kind)));
  const DevicePointer bias = epilogue.bias.address;
  MR_BLAS(ProductSetAttribute(*product, BlasProductAttribute::kBiasPointer,
                              &bias, sizeof(bias)));
  return OkStatus();
}

StatusOr<std::shared_ptr<const BlasProducts::Plan>> BlasProducts::MakePlan(
    const StridedProduct& p, BlasProduct product) const {
  const auto plan = std::make_shared<Plan>(blas_);
  const BlasType type = TypeOf(p.type);
  const auto layout = [&](int64_t rows, int64_t columns, int64_t row_elements,
                          int64_t batch_elements, BlasLayout* made) -> Status {
    MR_BLAS(LayoutCreate(made, type, static_cast<uint64_t>(columns),
                         static_cast<uint64_t>(rows), row_elements));
    if (p.batches == 1) return OkStatus();
    const auto batches = static_cast<int32_t>(p.batches);
    MR_BLAS(LayoutSetAttribute(*made, BlasLayoutAttribute::kBatchCount,
                               &batches, sizeof(batches)));
    MR_BLAS(LayoutSetAttribute(*made, BlasLayoutAttribute::kBatchStride,
                               &batch_elements, sizeof(batch_elements)));
    return OkStatus();
  };
  const int64_t b_rows = p.transpose_b ? p.n : p.k;
  const int64_t b_columns = p.transpose_b ? p.k : p.n;
  const int64_t a_rows = p.transpose_a ? p.k : p.m;
  const int64_t a_columns = p.transpose_a ? p.m : p.k;
  MR_RETURN_IF_ERROR(layout(b_rows, b_columns,
                            p.b_row != 0 ? p.b_row : b_columns, p.b_batch,
                            &plan->a));
  MR_RETURN_IF_ERROR(layout(a_rows, a_columns, a_columns, p.a_batch, &plan->b));
  MR_RETURN_IF_ERROR(layout(p.m, p.n, p.n, p.m * p.n, &plan->c));
  BlasPreference preference = nullptr;
  MR_BLAS(PreferenceCreate(&preference));
  const auto ask = [&]() -> Status {
    MR_BLAS(PreferenceSetAttribute(
        preference, BlasPreferenceAttribute::kMaxWorkspaceBytes,
        &kMaxWorkspaceBytes, sizeof(kMaxWorkspaceBytes)));
    const std::pair<BlasPreferenceAttribute, GpuPointer> operands[] = {
        {BlasPreferenceAttribute::kAlignmentA, p.b},
        {BlasPreferenceAttribute::kAlignmentB, p.a},
        {BlasPreferenceAttribute::kAlignmentC, p.c},
        {BlasPreferenceAttribute::kAlignmentD, p.c}};
    for (const auto& [attribute, pointer] : operands) {
      const uint32_t bytes = AlignmentOf(pointer);
      MR_BLAS(
          PreferenceSetAttribute(preference, attribute, &bytes, sizeof(bytes)));
    }
    BlasHeuristicResult result = {};
    int found = 0;
    const BlasResult asked =
        blas_.GetHeuristic(handle_, product, plan->a, plan->b, plan->c, plan->c,
                           preference, 1, &result, &found);
    if (IsUnsupported(asked) || asked == BlasResult::kInvalidValue) {
      return OkStatus();
    }
    MR_RETURN_IF_ERROR(BlasStatus(asked, "cublasLtMatmulAlgoGetHeuristic"));
    if (found == 0 || result.state != BlasResult::kSuccess) return OkStatus();
    plan->has_algorithm = true;
    plan->algorithm = result.algorithm;
    plan->workspace_bytes = result.workspace_bytes;
    return OkStatus();
  };
  const Status asked = ask();
  blas_.PreferenceDestroy(preference);
  MR_RETURN_IF_ERROR(asked);
  return std::shared_ptr<const Plan>(plan);
}

StatusOr<std::shared_ptr<const BlasProducts::Plan>> BlasProducts::PlanOf(
    const Key& key, const StridedProduct& p, BlasProduct product) {
  {
    MutexLock lock(mu_);
    const auto it = plans_.find(key);
    if (it != plans_.end()) return it->second;
  }
  MR_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan, MakePlan(p, product));
  MutexLock lock(mu_);
  // Programs have few shapes; one whose shapes never come again starts anew.
  if (plans_.size() >= kMaxPlans) plans_.clear();
  return plans_.try_emplace(key, std::move(plan)).first->second;
}

StatusOr<bool> BlasProducts::Run(KernelContext& ctx, Stream stream,
                                 const StridedProduct& p,
                                 const ProductEpilogue& epilogue) {
  StatusOr<bool> done = Enqueue(ctx, stream, p, epilogue);
  if (done.status().code() != StatusCode::kResourceExhausted) return done;
  MR_LOG_EVERY_SECONDS(Warning, 10)
      << "a product of matrices of node " << ctx.node().name << " on "
      << ctx.device().name() << " is slower: " << done.status().message();
  return false;
}

StatusOr<bool> BlasProducts::Enqueue(KernelContext& ctx, Stream stream,
                                     const StridedProduct& p,
                                     const ProductEpilogue& epilogue) {
  const bool conjugates_alone =
      (p.conjugate_a && !p.transpose_a) || (p.conjugate_b && !p.transpose_b);
  if (!Takes(p.type) || (IsComplex(p.type) && conjugates_alone) ||
      p.batches > std::numeric_limits<int32_t>::max()) {
    return false;
  }
  const Key key = {
      static_cast<int64_t>(p.type),
      p.m,
      p.n,
      p.k,
      p.transpose_a + 2 * p.transpose_b + 4 * p.conjugate_a + 8 * p.conjugate_b,
      p.b_row,
      p.batches,
      p.a_batch,
      p.b_batch,
      static_cast<int64_t>(epilogue.kind),
      AlignmentOf(p.a),
      AlignmentOf(p.b),
      AlignmentOf(p.c),
      AlignmentOf(epilogue.bias)};
  BlasProduct product = nullptr;
  const auto run = [&]() -> StatusOr<bool> {
    MR_RETURN_IF_ERROR(MakeProduct(p, epilogue, &product));
    MR_ASSIGN_OR_RETURN(const std::shared_ptr<const Plan> plan,
                        PlanOf(key, p, product));
    if (!plan->has_algorithm) return false;
    Tensor workspace;
    if (plan->workspace_bytes > 0) {
      StatusOr<Tensor> bytes = ctx.AllocateTemp(
          DataType::kUint8,
          TensorShape({static_cast<int64_t>(plan->workspace_bytes)}));
      if (!bytes.ok()) return false;
      workspace = *std::move(bytes);
    }
    const Factors factors(p.type);
    const BlasResult result = blas_.Multiply(
        handle_, product, factors.one, p.b.address, plan->a, p.a.address,
        plan->b, factors.zero, p.c.address, plan->c, p.c.address, plan->c,
        &plan->algorithm,
        plan->workspace_bytes > 0 ? GpuInput(workspace).address : 0,
        plan->workspace_bytes, stream);
    if (IsUnsupported(result)) return false;
    MR_RETURN_IF_ERROR(BlasStatus(result, "cublasLtMatmul"));
    return true;
  };
  StatusOr<bool> done = run();
  if (product != nullptr) blas_.ProductDestroy(product);
  return done;
}

StatusOr<bool> MultiplyByLibrary(KernelContext& ctx, const StridedProduct& p,
                                 const ProductEpilogue& epilogue) {
  if (!BlasProducts::Takes(p.type)) return false;
  MR_ASSIGN_OR_RETURN(Gpu* const gpu, GpuOf(ctx.device()));
  const Blas* const blas = ProcessBlas(gpu->driver().version);
  if (blas == nullptr) return false;
  MR_ASSIGN_OR_RETURN(
      GpuLibrary* const library,
      gpu->LibraryOf(LibraryKind::kCublasLt, [&]() -> Gpu::MadeLibrary {
        return BlasProducts::Make(*blas);
      }));
  if (library == nullptr) return false;
  MR_ASSIGN_OR_RETURN(const ComputeStream stream, gpu->Compute());
  return static_cast<BlasProducts*>(library)->Run(ctx, stream.get(), p,
                                                  epilogue);
}

}  // namespace millrace::cuda
