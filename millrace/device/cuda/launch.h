// GpuFunction and LaunchGpu: kernels for GPUs load texts, which are compiled
// for the device when a kernel is made, and launch them, which only enqueues.
//
//   MR_GPU_SOURCE(product_cross);  // ops/product/cross.gpu.cu
//   ...
//   MR_ASSIGN_OR_RETURN(k.function_,
//       LoadGpuFunction(init, MR_GPU_SOURCE_OF(product_cross), "Cross",
//                       {{"T", GpuTypeName(type)}}));
//   ...
//   return LaunchGpu(ctx, function_, GridOver(n), GpuInput(ctx.input(0)),
//                    GpuOutput(*y), n);
//
// The text of a module is the prelude (device/cuda/prelude), the defines and
// the sources; its entries are `extern "C" __global__`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "millrace/device/cuda/gpu_source.h"
#include "millrace/kernel/kernel.h"
#include "millrace/tensor/tensor.h"

namespace millrace {

namespace cuda {
class LoadedFunction;
}  // namespace cuda

// A `#define name value` before the sources.
struct GpuDefine {
  std::string name;
  std::string value;
};

// An entry of a compiled module. Empty, or shared by all its copies.
class GpuFunction {
 public:
  GpuFunction() = default;
  explicit GpuFunction(std::shared_ptr<const cuda::LoadedFunction> loaded)
      : loaded_(std::move(loaded)) {}
  const cuda::LoadedFunction* get() const { return loaded_.get(); }

 private:
  std::shared_ptr<const cuda::LoadedFunction> loaded_;
};

// Compiles the text for the kernel's device, or takes it from memory or from
// disk: equal sources and defines are compiled once. Returns INTERNAL with the
// compiler's log if the text is wrong, FAILED_PRECONDITION if there is no
// compiler, and for a device that is no CUDA device.
StatusOr<GpuFunction> LoadGpuFunction(
    const KernelInit& init, absl::Span<const GpuSource* const> sources,
    const char* entry, const std::vector<GpuDefine>& defines);
inline StatusOr<GpuFunction> LoadGpuFunction(
    const KernelInit& init, const GpuSource& source, const char* entry,
    const std::vector<GpuDefine>& defines = {}) {
  const GpuSource* const sources[] = {&source};
  return LoadGpuFunction(init, sources, entry, defines);
}

// The same for several entries of one text.
struct GpuEntry {
  GpuFunction* function;  // becomes the loaded one
  const char* name;
};
Status LoadGpuFunctions(const KernelInit& init,
                        absl::Span<const GpuSource* const> sources,
                        const std::vector<GpuDefine>& defines,
                        std::initializer_list<GpuEntry> entries);
inline Status LoadGpuFunctions(const KernelInit& init, const GpuSource& source,
                               const std::vector<GpuDefine>& defines,
                               std::initializer_list<GpuEntry> entries) {
  const GpuSource* const sources[] = {&source};
  return LoadGpuFunctions(init, sources, defines, entries);
}

// Returns the type's name in texts: "float", "half", "bfloat16", "double",
// "int8_t", ..., "bool", "complex64", "complex128". Quantized types have the
// name of their integer; others, which no GPU computes with, "void".
const char* GpuTypeName(DataType type);

// How many blocks of how many threads run a function.
struct GpuGrid {
  int64_t blocks = 0;    // 0: nothing is launched
  int threads = 256;     // of a block, at most 1024
  int shared_bytes = 0;  // of a block, besides what the text declares
  // Whether fewer blocks do, since each thread walks on in strides of the grid
  // (GRID_STRIDE). Then as many are launched as the device runs at once.
  bool strided = false;
};

// A grid for `n` items, one for each thread of 256, which walk in strides.
inline GpuGrid GridOver(int64_t n) {
  return {.blocks = (n + 255) / 256, .strided = true};
}

// `count` slices of each of some lines of elements, of `size` elements; the
// last one may be shorter.
struct GpuSlices {
  int64_t count = 1, size = 1;
};

// Cuts each of `lines` lines of `n` elements into slices of about `least`
// elements or more, so that there are about `wanted` in all, or one of each
// line. They depend on no card, since they decide in which order elements are
// joined. Requires: lines, wanted and least are above 0.
inline GpuSlices CutLines(int64_t lines, int64_t n, int64_t wanted,
                          int64_t least) {
  const int64_t most =
      std::max<int64_t>(1, std::min(wanted / lines, n / least));
  const int64_t size = std::max<int64_t>(1, (n + most - 1) / most);
  return {std::max<int64_t>(1, (n + size - 1) / size), size};
}

// An address in the device's memory, as an argument.
struct GpuPointer {
  uint64_t address = 0;
};
// Require: the tensor is on the device, or has no elements.
inline GpuPointer GpuInput(const Tensor& t) {
  return {t.num_elements() == 0 ? 0 : uint64_t{t.device_address()}};
}
inline GpuPointer GpuOutput(Tensor& t) { return GpuInput(t); }

// The host's part of the prelude's IntDivisor. Requires: 0 < divisor < 2^31.
struct GpuDivisor {
  uint32_t divisor = 1, multiplier = 1, shift = 0;

  GpuDivisor() = default;
  explicit GpuDivisor(uint32_t d) : divisor(d), shift(0) {
    while (shift < 32 && (uint64_t{1} << shift) < d) ++shift;
    multiplier =
        static_cast<uint32_t>((((uint64_t{1} << shift) - d) << 32) / d + 1);
  }
};

namespace internal {
// `arguments` are pointers to the values.
Status LaunchGpuFunction(KernelContext& ctx, const GpuFunction& function,
                         const GpuGrid& grid, void** arguments);
}  // namespace internal

// Enqueues the function behind all work that was enqueued before, and returns.
// The arguments are copied; they have the types of the entry's parameters, byte
// for byte. Returns INTERNAL that names node, entry and the driver's error if
// the launch is refused; what goes wrong later ends the step.
template <class... A>
Status LaunchGpu(KernelContext& ctx, const GpuFunction& function,
                 const GpuGrid& grid, const A&... args) {
  static_assert((std::is_trivially_copyable_v<A> && ...),
                "arguments are copied byte for byte");
  void* pointers[] = {const_cast<void*>(static_cast<const void*>(&args))...,
                      nullptr};
  return internal::LaunchGpuFunction(ctx, function, grid, pointers);
}

// Enqueues that `bytes` bytes from `to` on become `value`.
Status FillGpuBytes(KernelContext& ctx, GpuPointer to, uint8_t value,
                    int64_t bytes);
// Returns a tensor of bytes on the device that holds `bytes` bytes of the
// host's for functions that are launched from now on: tables that are too long
// for arguments (4 KB in all). They are copied before this returns.
StatusOr<Tensor> UploadToGpu(KernelContext& ctx, const void* from,
                             int64_t bytes);

}  // namespace millrace
