// Products of matrices by cuBLASLt, on one device.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "millrace/base/threads/thread.h"
#include "millrace/device/cuda/cublaslt_api.h"
#include "millrace/device/cuda/gpu.h"
#include "millrace/device/cuda/strided_product.h"
#include "millrace/kernel/kernel_context.h"

namespace millrace::cuda {

// The library's calls by name: blas.Create(&handle).
struct Blas {
#define MR_CUDA_CALL(Name, symbol, parameters) \
  BlasResult(*Name) parameters = nullptr;
  MILLRACE_CUDA_CUBLASLT_CALLS(MR_CUDA_CALL)
#undef MR_CUDA_CALL
};

// An operation on the elements of a product in the same pass. `bias` has an
// element for each column.
struct ProductEpilogue {
  BlasEpilogue kind = BlasEpilogue::kNone;
  GpuPointer bias;
};

// Thread-safe. The algorithm for each problem is asked for once. Factors of
// float are not rounded to tf32 unless AllowsTf32().
class BlasProducts final : public GpuLibrary {
 public:
  // Requires: the device's context is current. `blas` outlives this.
  static StatusOr<std::unique_ptr<BlasProducts>> Make(const Blas& blas);
  ~BlasProducts() override;
  BlasProducts(const BlasProducts&) = delete;
  BlasProducts& operator=(const BlasProducts&) = delete;

  // Returns whether it can compute with the type.
  static bool Takes(DataType type);

  // Enqueues the products on `stream`. Returns false if nothing was enqueued,
  // since the library has no algorithm, or there is no memory for what it needs
  // or for its workspace, which comes from `ctx`; INTERNAL for other errors.
  // Requires: the context is current, no size is 0.
  StatusOr<bool> Run(KernelContext& ctx, Stream stream, const StridedProduct& p,
                     const ProductEpilogue& epilogue = {});

 private:
  // The numbers that decide on the algorithm.
  using Key = std::array<int64_t, 15>;
  // The algorithm and the layouts of the operands of one problem.
  struct Plan;
  // The plans that are kept.
  static constexpr size_t kMaxPlans = 1024;

  BlasProducts(const Blas& blas, BlasHandle handle, bool allows_tf32)
      : blas_(blas), handle_(handle), allows_tf32_(allows_tf32) {}

  BlasCompute ComputeOf(DataType type) const;
  // Run, which returns RESOURCE_EXHAUSTED where the library has no memory.
  StatusOr<bool> Enqueue(KernelContext& ctx, Stream stream,
                         const StridedProduct& p,
                         const ProductEpilogue& epilogue);
  // Makes the description of the product itself, without the bias.
  Status MakeProduct(const StridedProduct& p, const ProductEpilogue& epilogue,
                     BlasProduct* product) const;
  StatusOr<std::shared_ptr<const Plan>> PlanOf(const Key& key,
                                               const StridedProduct& p,
                                               BlasProduct product);
  StatusOr<std::shared_ptr<const Plan>> MakePlan(const StridedProduct& p,
                                                 BlasProduct product) const;

  const Blas& blas_;
  const BlasHandle handle_;
  const bool allows_tf32_;
  Mutex mu_;
  absl::flat_hash_map<Key, std::shared_ptr<const Plan>> plans_;
};

// Enqueues the products on the kernel's device, as BlasProducts::Run does.
// Returns false, too, if the library is missing or does not work there, which
// is logged.
StatusOr<bool> MultiplyByLibrary(KernelContext& ctx, const StridedProduct& p,
                                 const ProductEpilogue& epilogue = {});

}  // namespace millrace::cuda
