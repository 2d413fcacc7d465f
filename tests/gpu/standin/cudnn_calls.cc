// The stand-in of libcudnn's convolutions: plain loops, in the order of a
// stream. It gives several algorithms for each problem: for floats one that
// rounds to tf32, which callers must leave out unless they allow that, for
// gradients one that says that it is not deterministic (uses of which are
// counted as "any order"), then one with a workspace, which it uses, then one
// without.
#include <memory>
#include <mutex>
#include <vector>

#include "millrace/device/cuda/cudnn_api.h"
#include "tests/gpu/standin/calls.h"
#include "tests/gpu/standin/elements.h"
#include "tests/gpu/standin/enqueue.h"

namespace millrace::cuda {

struct DnnHandleObject {
  Stream stream = nullptr;
  std::mutex in_use;  // by one thread
};

struct DnnTensorObject {
  DnnType type = DnnType::kFloat;
  std::vector<int> sizes, strides;
};

struct DnnFilterObject {
  DnnType type = DnnType::kFloat;
  DnnFormat format = DnnFormat::kChannelsFirst;
  std::vector<int> sizes;
};

struct DnnConvolutionObject {
  std::vector<int> padding, strides, dilations;
  DnnConvolutionMode mode = DnnConvolutionMode::kConvolution;
  DnnType compute = DnnType::kFloat;
  int groups = 1;
  DnnMath math = DnnMath::kDefault;
};

namespace standin {
namespace {

constexpr size_t kDnnWorkspaceBytes = 4096;
// The numbers of algorithms.
constexpr int kRounding = 1, kWithWorkspace = 0, kWithoutWorkspace = 2,
              kInAnyOrder = 4;

enum class Pass { kForward, kInput, kFilter };

struct ConvolutionWork {
  Pass pass;
  DnnTensorObject input_layout, output_layout;
  DnnFilterObject filter_layout;
  DnnConvolutionObject convolution;
  DevicePointer input, filter, output, workspace;
  size_t workspace_bytes;
  double alpha, beta;
};

// Whether sizes fit each other as the library wants them.
bool FitEachOther(const DnnTensorObject& in, const DnnFilterObject& filter,
                  const DnnConvolutionObject& c, const DnnTensorObject& out) {
  const size_t rank = in.sizes.size(), space = rank - 2;
  if (rank < 4 || filter.sizes.size() != rank || out.sizes.size() != rank ||
      c.padding.size() != space || in.type != filter.type ||
      in.type != out.type || c.groups < 1) {
    return false;
  }
  const bool is_wide = in.type == DnnType::kDouble;
  if ((c.compute == DnnType::kDouble) != is_wide) return false;
  if (in.sizes[0] != out.sizes[0] || filter.sizes[0] != out.sizes[1] ||
      filter.sizes[1] * c.groups != in.sizes[1] ||
      out.sizes[1] % c.groups != 0) {
    return false;
  }
  for (size_t i = 0; i < space; ++i) {
    const int span = (filter.sizes[2 + i] - 1) * c.dilations[i] + 1;
    const int size = in.sizes[2 + i] + 2 * c.padding[i] - span;
    if (size < 0 || size / c.strides[i] + 1 != out.sizes[2 + i]) return false;
  }
  return true;
}

// Counts through all positions of an array.
class Positions {
 public:
  explicit Positions(std::vector<int> sizes)
      : sizes_(std::move(sizes)), at_(sizes_.size(), 0) {}
  const std::vector<int>& at() const { return at_; }
  bool Next() {
    for (size_t i = at_.size(); i-- > 0;) {
      if (++at_[i] < sizes_[i]) return true;
      at_[i] = 0;
    }
    return false;
  }

 private:
  std::vector<int> sizes_, at_;
};

template <class T>
void Convolve(const ConvolutionWork& work) {
  using S = typename SumOf<T>::type;
  const auto& in = work.input_layout;
  const auto& out = work.output_layout;
  const auto& filter = work.filter_layout;
  const auto& c = work.convolution;
  const size_t space = in.sizes.size() - 2;
  T* const x = At<T>(work.input);
  T* const f = At<T>(work.filter);
  T* const y = At<T>(work.output);
  const int own_in = filter.sizes[1], own_out = out.sizes[1] / c.groups;
  int64_t taps = 1;
  for (size_t i = 0; i < space; ++i) taps *= filter.sizes[2 + i];
  // Sums of what is computed, with its place.
  std::vector<int> sizes;
  int64_t elements = 1;
  sizes = work.pass == Pass::kForward ? out.sizes
          : work.pass == Pass::kInput ? in.sizes
                                      : filter.sizes;
  for (const int n : sizes) elements *= n;
  std::vector<S> sums(static_cast<size_t>(elements), S(0));
  const auto dense = [](const std::vector<int>& of, const int* space_at,
                        int first, int second) {
    int64_t place = int64_t{first} * of[1] + second;
    for (size_t i = 2; i < of.size(); ++i)
      place = place * of[i] + space_at[i - 2];
    return static_cast<size_t>(place);
  };
  // All windows, and all taps within each.
  std::vector<int> windows(out.sizes.begin() + 2, out.sizes.end());
  windows.insert(windows.begin(), out.sizes[0]);
  Positions window(windows);
  do {
    const int image = window.at()[0];
    const int* const o = window.at().data() + 1;
    Positions tap(
        std::vector<int>(filter.sizes.begin() + 2, filter.sizes.end()));
    do {
      const int* const t = tap.at().data();
      bool inside = true;
      int64_t x_place = int64_t{image} * in.strides[0];
      int64_t y_place = int64_t{image} * out.strides[0];
      int64_t tap_place = 0;
      std::vector<int> at(space);
      for (size_t i = 0; i < space; ++i) {
        at[i] = o[i] * c.strides[i] - c.padding[i] + t[i] * c.dilations[i];
        inside = inside && at[i] >= 0 && at[i] < in.sizes[2 + i];
        x_place += int64_t{at[i]} * in.strides[2 + i];
        y_place += int64_t{o[i]} * out.strides[2 + i];
        tap_place = tap_place * filter.sizes[2 + i] + t[i];
      }
      if (!inside) continue;
      for (int k = 0; k < out.sizes[1]; ++k) {
        const int group = k / own_out;
        for (int j = 0; j < own_in; ++j) {
          const int channel = group * own_in + j;
          const int64_t f_place =
              filter.format == DnnFormat::kChannelsFirst
                  ? (int64_t{k} * own_in + j) * taps + tap_place
                  : (int64_t{k} * taps + tap_place) * own_in + j;
          const int64_t x_at = x_place + int64_t{channel} * in.strides[1];
          const int64_t y_at = y_place + int64_t{k} * out.strides[1];
          switch (work.pass) {
            case Pass::kForward:
              sums[dense(out.sizes, o, image, k)] += S(x[x_at]) * S(f[f_place]);
              break;
            case Pass::kInput:
              sums[dense(in.sizes, at.data(), image, channel)] +=
                  S(y[y_at]) * S(f[f_place]);
              break;
            case Pass::kFilter:
              sums[dense(filter.sizes, t, k, j)] += S(x[x_at]) * S(y[y_at]);
              break;
          }
        }
      }
    } while (tap.Next());
  } while (window.Next());
  Positions result(sizes);
  size_t number = 0;
  do {
    const std::vector<int>& at = result.at();
    int64_t place = 0;
    T* to = nullptr;
    if (work.pass == Pass::kFilter) {
      int64_t tap_place = 0;
      for (size_t i = 2; i < at.size(); ++i) {
        tap_place = tap_place * sizes[i] + at[i];
      }
      place = filter.format == DnnFormat::kChannelsFirst
                  ? (int64_t{at[0]} * own_in + at[1]) * taps + tap_place
                  : (int64_t{at[0]} * taps + tap_place) * own_in + at[1];
      to = f;
    } else {
      const auto& strides =
          work.pass == Pass::kForward ? out.strides : in.strides;
      for (size_t i = 0; i < at.size(); ++i)
        place += int64_t{at[i]} * strides[i];
      to = work.pass == Pass::kForward ? y : x;
    }
    S sum = sums[number++] * static_cast<S>(work.alpha);
    if (work.beta != 0) sum += static_cast<S>(work.beta) * S(to[place]);
    to[place] = sum;
  } while (result.Next());
}

void RunConvolution(void* data) {
  const std::unique_ptr<ConvolutionWork> work(
      static_cast<ConvolutionWork*>(data));
  // The library may leave anything there.
  if (work->workspace_bytes > 0) {
    std::memset(At<char>(work->workspace), 0xa5, work->workspace_bytes);
  }
  switch (work->input_layout.type) {
    case DnnType::kFloat:
      return Convolve<float>(*work);
    case DnnType::kDouble:
      return Convolve<double>(*work);
    case DnnType::kHalf:
      return Convolve<HalfElement>(*work);
    case DnnType::kBfloat16:
      return Convolve<Bfloat16Element>(*work);
  }
}

DnnResult Algorithms(const DnnTensorObject& in, const DnnFilterObject& filter,
                     const DnnConvolutionObject& c, const DnnTensorObject& out,
                     Pass pass, int requested, int* returned,
                     DnnAlgorithmResult* results) {
  *returned = 0;
  if (!FitEachOther(in, filter, c, out)) return DnnResult::kBadParameter;
  const auto add = [&](int algorithm, size_t workspace, DnnMath math,
                       DnnResult status) {
    if (*returned == requested) return;
    DnnAlgorithmResult result = {};
    result.algorithm = algorithm;
    result.status = status;
    result.workspace_bytes = workspace;
    result.determinism =
        algorithm == kInAnyOrder ? DnnDeterminism::kNot : DnnDeterminism::kYes;
    result.math = math;
    results[(*returned)++] = result;
  };
  if (in.type == DnnType::kFloat) {
    add(kRounding, 0, DnnMath::kTensorCores, DnnResult::kSuccess);
  }
  const DnnMath math =
      c.math == DnnMath::kTensorCores ? c.math : DnnMath::kDefault;
  if (pass != Pass::kForward) add(kInAnyOrder, 0, math, DnnResult::kSuccess);
  add(kWithWorkspace, kDnnWorkspaceBytes, math, DnnResult::kSuccess);
  add(kWithoutWorkspace, 0, math, DnnResult::kSuccess);
  add(3, 0, math, DnnResult::kNotSupported);
  return DnnResult::kSuccess;
}

struct Operands {
  DnnTensor input_layout;
  DevicePointer input;
  DnnFilter filter_layout;
  DevicePointer filter;
  DnnTensor output_layout;
  DevicePointer output;
};

DnnResult Start(DnnHandle handle, Pass pass, const Operands& operands,
                DnnConvolution convolution, int algorithm,
                DevicePointer workspace, size_t workspace_bytes,
                const void* alpha, const void* beta) {
  const std::unique_lock<std::mutex> lock(handle->in_use, std::try_to_lock);
  if (!lock.owns_lock()) return DnnResult::kInternalError;
  if (!FitEachOther(*operands.input_layout, *operands.filter_layout,
                    *convolution, *operands.output_layout) ||
      operands.input == 0 || operands.filter == 0 || operands.output == 0) {
    return DnnResult::kBadParameter;
  }
  const DnnType type = operands.input_layout->type;
  switch (algorithm) {
    case kRounding:
      // Nobody may get here without having allowed it.
      if (convolution->math == DnnMath::kNoTensorCores) {
        return DnnResult::kBadParameter;
      }
      break;
    case kWithWorkspace:
      if (workspace_bytes < kDnnWorkspaceBytes || workspace == 0) {
        return DnnResult::kBadParameter;
      }
      break;
    case kWithoutWorkspace:
      break;
    case kInAnyOrder:
      CountCall("any order");
      break;
    default:
      return DnnResult::kNotSupported;
  }
  auto work = std::make_unique<ConvolutionWork>(ConvolutionWork{
      pass, *operands.input_layout, *operands.output_layout,
      *operands.filter_layout, *convolution, operands.input, operands.filter,
      operands.output, workspace, workspace_bytes, 0, 0});
  const auto read = [&](const void* factor) {
    return type == DnnType::kDouble ? *static_cast<const double*>(factor)
                                    : *static_cast<const float*>(factor);
  };
  work->alpha = read(alpha);
  work->beta = read(beta);
  if (millraceStandInEnqueue(handle->stream, &RunConvolution, work.get()) !=
      0) {
    return DnnResult::kExecutionFailed;
  }
  work.release();
  return DnnResult::kSuccess;
}

}  // namespace
}  // namespace standin
}  // namespace millrace::cuda

using namespace millrace::cuda;           // NOLINT: C functions follow
using namespace millrace::cuda::standin;  // NOLINT

#define MR_STANDIN_DNN(symbol, ...)                                   \
  extern "C" __attribute__((visibility("default"))) DnnResult symbol( \
      __VA_ARGS__)
#define MR_COUNT_DNN(symbol)                  \
  if (const int error = CountCall(#symbol)) { \
    return static_cast<DnnResult>(error);     \
  }

extern "C" __attribute__((visibility("default"))) size_t
cudnnGetCudartVersion() {
  return 13000;
}

MR_STANDIN_DNN(cudnnCreate, DnnHandle* handle) {
  MR_COUNT_DNN(cudnnCreate);
  *handle = new DnnHandleObject;
  return DnnResult::kSuccess;
}
MR_STANDIN_DNN(cudnnDestroy, DnnHandle handle) {
  MR_COUNT_DNN(cudnnDestroy);
  delete handle;
  return DnnResult::kSuccess;
}
MR_STANDIN_DNN(cudnnSetStream, DnnHandle handle, Stream stream) {
  MR_COUNT_DNN(cudnnSetStream);
  handle->stream = stream;
  return DnnResult::kSuccess;
}

MR_STANDIN_DNN(cudnnCreateTensorDescriptor, DnnTensor* tensor) {
  MR_COUNT_DNN(cudnnCreateTensorDescriptor);
  *tensor = new DnnTensorObject;
  return DnnResult::kSuccess;
}
MR_STANDIN_DNN(cudnnDestroyTensorDescriptor, DnnTensor tensor) {
  MR_COUNT_DNN(cudnnDestroyTensorDescriptor);
  delete tensor;
  return DnnResult::kSuccess;
}
MR_STANDIN_DNN(cudnnSetTensorNdDescriptor, DnnTensor tensor, DnnType type,
               int rank, const int* sizes, const int* strides) {
  MR_COUNT_DNN(cudnnSetTensorNdDescriptor);
  if (rank < 4 || rank > 8) return DnnResult::kBadParameter;
  for (int i = 0; i < rank; ++i) {
    if (sizes[i] < 1 || strides[i] < 1) return DnnResult::kBadParameter;
  }
  tensor->type = type;
  tensor->sizes.assign(sizes, sizes + rank);
  tensor->strides.assign(strides, strides + rank);
  return DnnResult::kSuccess;
}

MR_STANDIN_DNN(cudnnCreateFilterDescriptor, DnnFilter* filter) {
  MR_COUNT_DNN(cudnnCreateFilterDescriptor);
  *filter = new DnnFilterObject;
  return DnnResult::kSuccess;
}
MR_STANDIN_DNN(cudnnDestroyFilterDescriptor, DnnFilter filter) {
  MR_COUNT_DNN(cudnnDestroyFilterDescriptor);
  delete filter;
  return DnnResult::kSuccess;
}
MR_STANDIN_DNN(cudnnSetFilterNdDescriptor, DnnFilter filter, DnnType type,
               DnnFormat format, int rank, const int* sizes) {
  MR_COUNT_DNN(cudnnSetFilterNdDescriptor);
  if (rank < 3 || rank > 8) return DnnResult::kBadParameter;
  filter->type = type;
  filter->format = format;
  filter->sizes.assign(sizes, sizes + rank);
  return DnnResult::kSuccess;
}

MR_STANDIN_DNN(cudnnCreateConvolutionDescriptor, DnnConvolution* convolution) {
  MR_COUNT_DNN(cudnnCreateConvolutionDescriptor);
  *convolution = new DnnConvolutionObject;
  return DnnResult::kSuccess;
}
MR_STANDIN_DNN(cudnnDestroyConvolutionDescriptor, DnnConvolution convolution) {
  MR_COUNT_DNN(cudnnDestroyConvolutionDescriptor);
  delete convolution;
  return DnnResult::kSuccess;
}
MR_STANDIN_DNN(cudnnSetConvolutionNdDescriptor, DnnConvolution convolution,
               int rank, const int* padding, const int* strides,
               const int* dilations, DnnConvolutionMode mode, DnnType compute) {
  MR_COUNT_DNN(cudnnSetConvolutionNdDescriptor);
  if (rank < 2 || rank > 6 || mode != DnnConvolutionMode::kCrossCorrelation) {
    return DnnResult::kBadParameter;
  }
  for (int i = 0; i < rank; ++i) {
    if (padding[i] < 0 || strides[i] < 1 || dilations[i] < 1) {
      return DnnResult::kBadParameter;
    }
  }
  convolution->padding.assign(padding, padding + rank);
  convolution->strides.assign(strides, strides + rank);
  convolution->dilations.assign(dilations, dilations + rank);
  convolution->mode = mode;
  convolution->compute = compute;
  return DnnResult::kSuccess;
}
MR_STANDIN_DNN(cudnnSetConvolutionGroupCount, DnnConvolution convolution,
               int groups) {
  MR_COUNT_DNN(cudnnSetConvolutionGroupCount);
  convolution->groups = groups;
  return DnnResult::kSuccess;
}
MR_STANDIN_DNN(cudnnSetConvolutionMathType, DnnConvolution convolution,
               DnnMath math) {
  MR_COUNT_DNN(cudnnSetConvolutionMathType);
  convolution->math = math;
  return DnnResult::kSuccess;
}

MR_STANDIN_DNN(cudnnGetConvolutionForwardAlgorithm_v7, DnnHandle /*handle*/,
               DnnTensor input, DnnFilter filter, DnnConvolution convolution,
               DnnTensor output, int requested, int* returned,
               DnnAlgorithmResult* results) {
  MR_COUNT_DNN(cudnnGetConvolutionForwardAlgorithm_v7);
  return Algorithms(*input, *filter, *convolution, *output, Pass::kForward,
                    requested, returned, results);
}
MR_STANDIN_DNN(cudnnGetConvolutionBackwardDataAlgorithm_v7,
               DnnHandle /*handle*/, DnnFilter filter, DnnTensor output,
               DnnConvolution convolution, DnnTensor input, int requested,
               int* returned, DnnAlgorithmResult* results) {
  MR_COUNT_DNN(cudnnGetConvolutionBackwardDataAlgorithm_v7);
  return Algorithms(*input, *filter, *convolution, *output, Pass::kInput,
                    requested, returned, results);
}
MR_STANDIN_DNN(cudnnGetConvolutionBackwardFilterAlgorithm_v7,
               DnnHandle /*handle*/, DnnTensor input, DnnTensor output,
               DnnConvolution convolution, DnnFilter filter, int requested,
               int* returned, DnnAlgorithmResult* results) {
  MR_COUNT_DNN(cudnnGetConvolutionBackwardFilterAlgorithm_v7);
  return Algorithms(*input, *filter, *convolution, *output, Pass::kFilter,
                    requested, returned, results);
}

MR_STANDIN_DNN(cudnnConvolutionForward, DnnHandle handle, const void* alpha,
               DnnTensor input_layout, DevicePointer input,
               DnnFilter filter_layout, DevicePointer filter,
               DnnConvolution convolution, int algorithm,
               DevicePointer workspace, size_t workspace_bytes,
               const void* beta, DnnTensor output_layout,
               DevicePointer output) {
  MR_COUNT_DNN(cudnnConvolutionForward);
  return Start(
      handle, Pass::kForward,
      {input_layout, input, filter_layout, filter, output_layout, output},
      convolution, algorithm, workspace, workspace_bytes, alpha, beta);
}
MR_STANDIN_DNN(cudnnConvolutionBackwardData, DnnHandle handle,
               const void* alpha, DnnFilter filter_layout, DevicePointer filter,
               DnnTensor output_layout, DevicePointer output,
               DnnConvolution convolution, int algorithm,
               DevicePointer workspace, size_t workspace_bytes,
               const void* beta, DnnTensor input_layout, DevicePointer input) {
  MR_COUNT_DNN(cudnnConvolutionBackwardData);
  return Start(
      handle, Pass::kInput,
      {input_layout, input, filter_layout, filter, output_layout, output},
      convolution, algorithm, workspace, workspace_bytes, alpha, beta);
}
MR_STANDIN_DNN(cudnnConvolutionBackwardFilter, DnnHandle handle,
               const void* alpha, DnnTensor input_layout, DevicePointer input,
               DnnTensor output_layout, DevicePointer output,
               DnnConvolution convolution, int algorithm,
               DevicePointer workspace, size_t workspace_bytes,
               const void* beta, DnnFilter filter_layout,
               DevicePointer filter) {
  MR_COUNT_DNN(cudnnConvolutionBackwardFilter);
  return Start(
      handle, Pass::kFilter,
      {input_layout, input, filter_layout, filter, output_layout, output},
      convolution, algorithm, workspace, workspace_bytes, alpha, beta);
}
