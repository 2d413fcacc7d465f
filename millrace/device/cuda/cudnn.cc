#include "millrace/device/cuda/cudnn.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "millrace/base/log.h"
#include "millrace/device/cuda/libraries.h"
#include "millrace/device/cuda/same_bits.h"
#include "millrace/device/cuda/tf32.h"

namespace millrace::cuda {
namespace {

// Algorithms with a larger workspace are not taken.
constexpr size_t kMaxDnnWorkspaceBytes = size_t{1} << 30;
constexpr int kMaxAlgorithms = 10;

// Whether a result says that an algorithm or a problem is not supported, which
// is no failure. What the library calls a bad parameter is, too: what it takes
// differs between versions. So is what says that a part of it is missing: the
// parts are loaded when they are first needed.
bool IsUnsupported(DnnResult result) {
  const int code = static_cast<int>(result);
  return (code >= 1000 && code < 4000) ||
         result == DnnResult::kOldNotInitialized ||
         result == DnnResult::kOldNotSupported ||
         result == DnnResult::kOldBadParameter ||
         result == DnnResult::kOldArchitectureMismatch;
}

bool IsOutOfMemory(DnnResult result) {
  return result == DnnResult::kHostAllocationFailed ||
         result == DnnResult::kDeviceAllocationFailed ||
         result == DnnResult::kOldAllocationFailed;
}

const char* KindOf(DnnResult result) {
  const int code = static_cast<int>(result);
  if (code < 1000) return "failed";
  if (code < 2000) return "not initialized";
  if (code < 3000) return "bad parameter";
  if (code < 4000) return "not supported";
  if (code < 5000) return "internal error";
  return "execution failed";
}

// Returns RESOURCE_EXHAUSTED if the library has no memory, else INTERNAL.
Status DnnStatus(DnnResult result, const char* call) {
  if (result == DnnResult::kSuccess) return OkStatus();
  const bool no_memory = IsOutOfMemory(result);
  const std::string text = absl::StrCat(
      "cuDNN: ", call, ": ", no_memory ? "no memory" : KindOf(result), " (",
      static_cast<int>(result), ")");
  return no_memory ? ResourceExhausted(text) : Internal(text);
}

// Returns false, since something else can convolve, unless the card has failed.
StatusOr<bool> DoWithout(KernelContext& ctx, const Status& why) {
  MR_ASSIGN_OR_RETURN(Gpu* const gpu, GpuOf(ctx.device()));
  MR_RETURN_IF_ERROR(gpu->card().error());
  MR_LOG_EVERY_SECONDS(Warning, 10)
      << "a convolution of node " << ctx.node().name << " on "
      << gpu->card().name() << " is slower: " << why.message();
  return false;
}

#define MR_DNN(call) MR_RETURN_IF_ERROR(DnnStatus(dnn_.call, #call))

StatusOr<Dnn> FindDnn(const Library& library, int driver_version) {
  Dnn calls;
  CallFinder find(library);
  MILLRACE_CUDA_CUDNN_CALLS(MR_FIND_CUDA_CALL)
  MR_RETURN_IF_ERROR(find.status());
  const auto cuda_version =
      reinterpret_cast<DnnCudaVersion>(library.Symbol(kDnnCudaVersion));
  if (cuda_version != nullptr) {
    const int version = static_cast<int>(cuda_version());
    if (version / 1000 > driver_version / 1000) {
      return FailedPrecondition(
          library.path, " is for CUDA ", VersionText(version),
          ", and the driver for CUDA ", VersionText(driver_version));
    }
  }
  return calls;
}

// Returns the library of this process, loaded by the first call; null without
// it, which is then logged.
const Dnn* ProcessDnn(int driver_version) {
  static constinit ProcessLibrary<Dnn> dnn;
  return dnn.GetOptional("cuDNN", "convolutions on GPUs are much slower", [&] {
    return OpenCalls<Dnn>({.fitting = {"libcudnn.so.9", "libcudnn.so.8"}},
                          [&](const Library& library) {
                            return FindDnn(library, driver_version);
                          });
  });
}

StatusOr<DnnType> DnnTypeOf(DataType type) {
  switch (type) {
    case DataType::kFloat:
      return DnnType::kFloat;
    case DataType::kDouble:
      return DnnType::kDouble;
    case DataType::kHalf:
      return DnnType::kHalf;
    case DataType::kBfloat16:
      return DnnType::kBfloat16;
    default:
      return Unimplemented("cuDNN convolves no ", DataTypeName(type));
  }
}

// Sizes and strides of images in the library's order; empty if one is too large
// for it.
struct ImageNumbers {
  std::vector<int> sizes, strides;

  ImageNumbers(const Convolution& c, int64_t depth,
               const std::array<int64_t, Convolution::kMaxSpatial>& space) {
    int64_t pixels = 1;
    for (int i = 0; i < c.spatial; ++i) pixels *= space[static_cast<size_t>(i)];
    const int64_t pixel = c.channels_last ? depth : 1;
    Add(c.batch, depth * pixels);
    Add(depth, c.channels_last ? 1 : pixels);
    int64_t behind = pixels;
    for (int i = 0; i < c.spatial; ++i) {
      behind /= space[static_cast<size_t>(i)];
      Add(space[static_cast<size_t>(i)], behind * pixel);
    }
    if (too_large_) sizes.clear();
  }
  int rank() const { return static_cast<int>(sizes.size()); }

 private:
  void Add(int64_t size, int64_t stride) {
    too_large_ |= size > std::numeric_limits<int>::max() ||
                  stride > std::numeric_limits<int>::max();
    sizes.push_back(static_cast<int>(size));
    strides.push_back(static_cast<int>(stride));
  }
  bool too_large_ = false;
};

std::vector<int> IntsOf(
    const std::array<int64_t, Convolution::kMaxSpatial>& list, int n) {
  return std::vector<int>(list.begin(), list.begin() + n);
}

}  // namespace

struct DnnConvolutions::Plan {
  explicit Plan(const Dnn& d) : dnn(d) {}
  ~Plan() {
    if (input != nullptr) dnn.TensorDestroy(input);
    if (output != nullptr) dnn.TensorDestroy(output);
    if (filter != nullptr) dnn.FilterDestroy(filter);
    if (convolution != nullptr) dnn.ConvolutionDestroy(convolution);
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  struct Algorithm {
    int number;
    size_t workspace_bytes;
    DnnMath math;
  };

  const Dnn& dnn;
  DnnTensor input = nullptr, output = nullptr;
  DnnFilter filter = nullptr;
  DnnConvolution convolution = nullptr;
  std::vector<Algorithm> algorithms;  // best first
};

DnnConvolutions::DnnConvolutions(const Dnn& dnn, DnnHandle handle,
                                 bool allows_tf32, bool wants_same_bits)
    : dnn_(dnn),
      handle_(handle),
      allows_tf32_(allows_tf32),
      wants_same_bits_(wants_same_bits) {}

StatusOr<std::unique_ptr<DnnConvolutions>> DnnConvolutions::Make(
    const Dnn& dnn, Stream stream) {
  DnnHandle handle = nullptr;
  MR_RETURN_IF_ERROR(DnnStatus(dnn.Create(&handle), "Create"));
  std::unique_ptr<DnnConvolutions> made(
      new DnnConvolutions(dnn, handle, AllowsTf32(), WantsSameBits()));
  MR_RETURN_IF_ERROR(DnnStatus(dnn.SetStream(handle, stream), "SetStream"));
  return made;
}

DnnConvolutions::~DnnConvolutions() {
  plans_.clear();
  dnn_.Destroy(handle_);
}

DnnMath DnnConvolutions::MathOf(DataType type) const {
  if (type == DataType::kHalf || type == DataType::kBfloat16) {
    return DnnMath::kTensorCores;
  }
  return allows_tf32_ ? DnnMath::kDefault : DnnMath::kNoTensorCores;
}

DnnConvolutions::Key DnnConvolutions::KeyOf(const Convolution& c) {
  Key key = {static_cast<int64_t>(c.pass),
             static_cast<int64_t>(c.type),
             c.channels_last,
             c.spatial,
             c.batch,
             c.in_depth,
             c.out_depth,
             c.groups};
  size_t next = 9;
  for (const auto* list :
       {&c.in, &c.out, &c.filter, &c.stride, &c.dilation, &c.padding}) {
    for (const int64_t n : *list) key[next++] = n;
  }
  return key;
}

Status DnnConvolutions::Describe(const Convolution& c, Plan* plan) const {
  MR_ASSIGN_OR_RETURN(const DnnType type, DnnTypeOf(c.type));
  const ImageNumbers in(c, c.in_depth, c.in), out(c, c.out_depth, c.out);
  const int64_t own_depth = c.in_depth / c.groups;
  if (in.rank() == 0 || out.rank() == 0 ||
      own_depth > std::numeric_limits<int>::max()) {
    return Unimplemented("images too large for cuDNN");
  }
  MR_DNN(TensorCreate(&plan->input));
  MR_DNN(TensorSet(plan->input, type, in.rank(), in.sizes.data(),
                   in.strides.data()));
  MR_DNN(TensorCreate(&plan->output));
  MR_DNN(TensorSet(plan->output, type, out.rank(), out.sizes.data(),
                   out.strides.data()));
  std::vector<int> filter = IntsOf(c.filter, c.spatial);
  filter.insert(filter.begin(), {out.sizes[1], static_cast<int>(own_depth)});
  MR_DNN(FilterCreate(&plan->filter));
  MR_DNN(FilterSet(
      plan->filter, type,
      c.channels_last ? DnnFormat::kChannelsLast : DnnFormat::kChannelsFirst,
      static_cast<int>(filter.size()), filter.data()));
  MR_DNN(ConvolutionCreate(&plan->convolution));
  MR_DNN(ConvolutionSet(
      plan->convolution, c.spatial, IntsOf(c.padding, c.spatial).data(),
      IntsOf(c.stride, c.spatial).data(), IntsOf(c.dilation, c.spatial).data(),
      DnnConvolutionMode::kCrossCorrelation,
      type == DnnType::kDouble ? DnnType::kDouble : DnnType::kFloat));
  MR_DNN(ConvolutionSetGroups(plan->convolution, static_cast<int>(c.groups)));
  MR_DNN(ConvolutionSetMath(plan->convolution, MathOf(c.type)));
  return OkStatus();
}

Status DnnConvolutions::FindAlgorithms(const Convolution& c, Plan* plan) const {
  DnnAlgorithmResult results[kMaxAlgorithms];
  int found = 0;
  DnnResult asked = DnnResult::kSuccess;
  switch (c.pass) {
    case ConvolutionPass::kForward:
      asked = dnn_.ForwardAlgorithms(handle_, plan->input, plan->filter,
                                     plan->convolution, plan->output,
                                     kMaxAlgorithms, &found, results);
      break;
    case ConvolutionPass::kInput:
      asked = dnn_.InputAlgorithms(handle_, plan->filter, plan->output,
                                   plan->convolution, plan->input,
                                   kMaxAlgorithms, &found, results);
      break;
    case ConvolutionPass::kFilter:
      asked = dnn_.FilterAlgorithms(handle_, plan->input, plan->output,
                                    plan->convolution, plan->filter,
                                    kMaxAlgorithms, &found, results);
      break;
  }
  const Status status = DnnStatus(asked, "choice of an algorithm");
  if (IsUnsupported(asked)) return Unimplemented(status.message());
  MR_RETURN_IF_ERROR(status);
  const DnnMath own = MathOf(c.type);
  for (int i = 0; i < found; ++i) {
    const DnnAlgorithmResult& result = results[i];
    if (result.status != DnnResult::kSuccess ||
        result.workspace_bytes > kMaxDnnWorkspaceBytes ||
        (own == DnnMath::kNoTensorCores &&
         result.math == DnnMath::kTensorCores) ||
        (wants_same_bits_ && result.determinism != DnnDeterminism::kYes)) {
      continue;
    }
    plan->algorithms.push_back(
        {result.algorithm, result.workspace_bytes,
         result.math == DnnMath::kDefault ? own : result.math});
  }
  return OkStatus();
}

// The lock is held.
StatusOr<DnnConvolutions::Plan*> DnnConvolutions::PlanOf(const Convolution& c) {
  const Key key = KeyOf(c);
  const auto it = plans_.find(key);
  if (it != plans_.end()) return it->second.get();
  auto plan = std::make_unique<Plan>(dnn_);
  Status described = Describe(c, plan.get());
  if (described.code() == StatusCode::kResourceExhausted) return described;
  if (described.ok()) {
    described = FindAlgorithms(c, plan.get());
    if (described.code() != StatusCode::kUnimplemented) {
      MR_RETURN_IF_ERROR(described);
    }
  }
  if (plan->algorithms.empty()) {
    MR_LOG_EVERY_SECONDS(Info, 10)
        << "cuDNN has no algorithm for a convolution of " << c.batch
        << " images of " << c.in_depth << " channels to " << c.out_depth
        << " of " << DataTypeName(c.type) << ", which is slower without it"
        << (described.ok() ? "" : ": ") << described.message();
  }
  // As of products of matrices: shapes come again, or all are new.
  if (plans_.size() >= kMaxPlans) plans_.clear();
  return plans_.try_emplace(key, std::move(plan)).first->second.get();
}

StatusOr<bool> DnnConvolutions::Run(KernelContext& ctx, const Convolution& c) {
  MutexLock lock(mu_);
  const StatusOr<Plan*> made = PlanOf(c);
  if (!made.ok()) return DoWithout(ctx, made.status());
  Plan* const plan = *made;
  const float one = 1, zero = 0;
  const double wide_one = 1, wide_zero = 0;
  const bool is_wide = c.type == DataType::kDouble;
  const void* const alpha =
      is_wide ? static_cast<const void*>(&wide_one) : &one;
  const void* const beta =
      is_wide ? static_cast<const void*>(&wide_zero) : &zero;
  Status failed;
  for (const Plan::Algorithm& algorithm : plan->algorithms) {
    Tensor workspace;
    DevicePointer room = 0;
    if (algorithm.workspace_bytes > 0) {
      StatusOr<Tensor> bytes = ctx.AllocateTemp(
          DataType::kUint8,
          TensorShape({static_cast<int64_t>(algorithm.workspace_bytes)}));
      if (!bytes.ok()) continue;
      workspace = *std::move(bytes);
      room = GpuInput(workspace).address;
    }
    DnnResult result =
        dnn_.ConvolutionSetMath(plan->convolution, algorithm.math);
    if (result == DnnResult::kSuccess) {
      switch (c.pass) {
        case ConvolutionPass::kForward:
          result = dnn_.Forward(
              handle_, alpha, plan->input, c.input.address, plan->filter,
              c.filters.address, plan->convolution, algorithm.number, room,
              algorithm.workspace_bytes, beta, plan->output, c.output.address);
          break;
        case ConvolutionPass::kInput:
          result = dnn_.BackwardInput(
              handle_, alpha, plan->filter, c.filters.address, plan->output,
              c.output.address, plan->convolution, algorithm.number, room,
              algorithm.workspace_bytes, beta, plan->input, c.input.address);
          break;
        case ConvolutionPass::kFilter:
          result = dnn_.BackwardFilter(
              handle_, alpha, plan->input, c.input.address, plan->output,
              c.output.address, plan->convolution, algorithm.number, room,
              algorithm.workspace_bytes, beta, plan->filter, c.filters.address);
          break;
      }
    }
    if (result == DnnResult::kSuccess) return true;
    if (!IsUnsupported(result) && !IsOutOfMemory(result)) {
      failed = DnnStatus(result, "convolution");
    }
  }
  return failed.ok() ? StatusOr<bool>(false) : DoWithout(ctx, failed);
}

namespace {

// Returns null if the library is missing or does not work on the device.
StatusOr<DnnConvolutions*> ConvolutionsOf(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(Gpu* const gpu, GpuOf(ctx.device()));
  const Dnn* const dnn = ProcessDnn(gpu->driver().version);
  if (dnn == nullptr) return nullptr;
  MR_ASSIGN_OR_RETURN(
      GpuLibrary* const library,
      gpu->LibraryOf(LibraryKind::kCudnn, [&]() -> Gpu::MadeLibrary {
        MR_ASSIGN_OR_RETURN(const ComputeStream stream, gpu->Compute());
        return DnnConvolutions::Make(*dnn, stream.get());
      }));
  return static_cast<DnnConvolutions*>(library);
}

}  // namespace

StatusOr<bool> HasConvolutions(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(DnnConvolutions* const convolutions, ConvolutionsOf(ctx));
  return convolutions != nullptr;
}

StatusOr<bool> ConvolveByLibrary(KernelContext& ctx, const Convolution& c) {
  MR_ASSIGN_OR_RETURN(DnnConvolutions* const convolutions, ConvolutionsOf(ctx));
  if (convolutions == nullptr) return false;
  // Counts what is enqueued.
  MR_ASSIGN_OR_RETURN(Gpu* const gpu, GpuOf(ctx.device()));
  MR_ASSIGN_OR_RETURN(const ComputeStream stream, gpu->Compute());
  return convolutions->Run(ctx, c);
}

}  // namespace millrace::cuda
