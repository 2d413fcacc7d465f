// Convolutions by cuDNN, on one device.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "millrace/base/threads/thread.h"
#include "millrace/device/cuda/cudnn_api.h"
#include "millrace/device/cuda/gpu.h"
#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_context.h"

namespace millrace::cuda {

// The library's calls by name: dnn.Create(&handle).
struct Dnn {
#define MR_CUDA_CALL(Name, symbol, parameters) \
  DnnResult(*Name) parameters = nullptr;
  MILLRACE_CUDA_CUDNN_CALLS(MR_CUDA_CALL)
#undef MR_CUDA_CALL
};

enum class ConvolutionPass { kForward, kInput, kFilter };

// A convolution or a gradient of one, which computes the operand that the pass
// names; the output of a gradient is the gradient of the output.
struct Convolution {
  static constexpr int kMaxSpatial = 3;

  ConvolutionPass pass = ConvolutionPass::kForward;
  DataType type = DataType::kInvalid;
  // Images are [batch, space, channels] or [batch, channels, space], filters
  // [out, taps, in] or [out, in, taps].
  bool channels_last = false;
  int spatial = 2;  // 2 or 3
  int64_t batch = 0, in_depth = 0, out_depth = 0, groups = 1;
  // As many as `spatial`; the padding is the same before and after.
  std::array<int64_t, kMaxSpatial> in = {}, out = {}, filter = {}, stride = {},
                                   dilation = {}, padding = {};
  GpuPointer input, filters, output;
};

// Thread-safe. The algorithms for each problem are asked for once.
class DnnConvolutions final : public GpuLibrary {
 public:
  // The work is enqueued on `stream`. Requires: its context is current. `dnn`
  // outlives this.
  static StatusOr<std::unique_ptr<DnnConvolutions>> Make(const Dnn& dnn,
                                                         Stream stream);
  ~DnnConvolutions() override;
  DnnConvolutions(const DnnConvolutions&) = delete;
  DnnConvolutions& operator=(const DnnConvolutions&) = delete;

  // Enqueues the convolution, by an algorithm that WantsSameBits allows.
  // Returns false if nothing was enqueued, since the library has none for which
  // there is enough memory, lacks a part of itself or fails, which is logged;
  // the card's error if it has one. Requires: the context is current, no size
  // is 0.
  StatusOr<bool> Run(KernelContext& ctx, const Convolution& c);

 private:
  using Key = std::array<int64_t, 9 + 6 * Convolution::kMaxSpatial>;
  // The descriptions of a problem's operands, and its algorithms.
  struct Plan;
  static constexpr size_t kMaxPlans = 1024;

  DnnConvolutions(const Dnn& dnn, DnnHandle handle, bool allows_tf32,
                  bool wants_same_bits);

  static Key KeyOf(const Convolution& c);
  StatusOr<Plan*> PlanOf(const Convolution& c);
  Status Describe(const Convolution& c, Plan* plan) const;
  // Returns UNIMPLEMENTED with the library's reason if it has none.
  Status FindAlgorithms(const Convolution& c, Plan* plan) const;
  DnnMath MathOf(DataType type) const;

  const Dnn& dnn_;
  const DnnHandle handle_;
  const bool allows_tf32_, wants_same_bits_;
  // Held while a convolution is enqueued: the handle takes one thread at a
  // time.
  Mutex mu_;
  absl::flat_hash_map<Key, std::unique_ptr<Plan>> plans_;
};

// Returns whether the library is there and works on the kernel's device; if
// not, that is logged once.
StatusOr<bool> HasConvolutions(KernelContext& ctx);

// Enqueues the convolution on the kernel's device, as DnnConvolutions::Run
// does. Returns false, too, without HasConvolutions.
StatusOr<bool> ConvolveByLibrary(KernelContext& ctx, const Convolution& c);

}  // namespace millrace::cuda
