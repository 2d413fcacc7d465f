#include "tests/gpu_check/benchmarks.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/types/span.h"
#include "millrace/base/threads/thread.h"
#include "millrace/device/devices.h"
#include "millrace/kernel/device.h"
#include "millrace/millrace.h"

namespace millrace::gpu_check {
namespace {

constexpr char kGpu[] = "/device:GPU:0";
constexpr int kWarmUps = 3;
constexpr int kLeastSteps = 5;
constexpr int kMostSteps = 200;
constexpr int64_t kNanosOfARow = 1'000'000'000;

struct Sizes {
  int64_t matmul, elements, images, side, batch, hidden, width;
  int repeats;  // of one operation in a step
};
constexpr Sizes kFull = {.matmul = 8192,
                         .elements = int64_t{1} << 28,
                         .images = 128,
                         .side = 28,
                         .batch = 256,
                         .hidden = 2048,
                         .width = 64,
                         .repeats = 10};
constexpr Sizes kSmall = {.matmul = 64,
                          .elements = 1 << 12,
                          .images = 2,
                          .side = 8,
                          .batch = 4,
                          .hidden = 16,
                          .width = 4,
                          .repeats = 2};

// What one step runs. `fetch` is empty where nothing comes back.
struct Step {
  std::vector<ControlInput> targets;
  std::vector<Output> fetches;
};

// A value that lies on the GPU from the start.
Output OnGpu(const Scope& s, std::vector<int64_t> dims, DataType type,
             const char* name) {
  const Output drawn = ops::RandomUniform(
      s, ops::Const(s, Tensor::Vector<int64_t>(absl::MakeConstSpan(dims))),
      DataType::kFloat, {.seed = 1});
  const Output value = ops::Sub(s, drawn, 0.5f);
  return ops::Variable(s.WithOpName(name), type == DataType::kFloat
                                               ? value
                                               : ops::Cast(s, value, type));
}

// The same operation several times, one after the other, so that the time of a
// step is that of the operation.
Step Repeated(const Scope& s, int times,
              const std::function<Output(const Scope&)>& op) {
  Step step;
  std::vector<ControlInput> before;
  for (int i = 0; i < times; ++i) {
    const Output one = op(s.WithControlDependencies(before));
    before = {one};
  }
  step.targets = before;
  return step;
}

Step MatMul(const Scope& s, const Sizes& z, DataType type) {
  const Output a = OnGpu(s, {z.matmul, z.matmul}, type, "a");
  const Output b = OnGpu(s, {z.matmul, z.matmul}, type, "b");
  return Repeated(s, z.repeats,
                  [&](const Scope& at) { return ops::MatMul(at, a, b); });
}

Step Convolution(const Scope& s, const Sizes& z, DataType type) {
  const int64_t channels = 2 * z.width;
  const Output x = OnGpu(s, {z.images, z.side, z.side, channels}, type, "x");
  const Output f = OnGpu(s, {3, 3, channels, channels}, type, "f");
  return Repeated(s, z.repeats, [&](const Scope& at) {
    return ops::Conv2D(at, x, f, {1, 1, 1, 1}, "SAME");
  });
}

Step Elementwise(const Scope& s, const Sizes& z) {
  const Output x = OnGpu(s, {z.elements}, DataType::kFloat, "x");
  const Output y = OnGpu(s, {z.elements}, DataType::kFloat, "y");
  return Repeated(s, z.repeats,
                  [&](const Scope& at) { return ops::AddV2(at, x, y); });
}

Step Reduction(const Scope& s, const Sizes& z) {
  const Output x = OnGpu(s, {z.elements}, DataType::kFloat, "x");
  return Repeated(s, z.repeats, [&](const Scope& at) {
    return ops::Sum(at, x, ops::Const(at, Tensor::Vector<int32_t>({0})));
  });
}

Step RowReduction(const Scope& s, const Sizes& z) {
  const int64_t columns = std::min<int64_t>(z.elements, 4096);
  const Output x =
      OnGpu(s, {z.elements / columns, columns}, DataType::kFloat, "x");
  return Repeated(s, z.repeats, [&](const Scope& at) {
    return ops::Sum(at, x, ops::Const(at, Tensor::Vector<int32_t>({1})));
  });
}

Step OneKernel(const Scope& s) {
  const Output x = OnGpu(s, {1024}, DataType::kFloat, "x");
  return {.targets = {ops::Neg(s, x)}, .fetches = {}};
}

Output Labels(const Scope& s, int64_t batch) {
  Tensor labels = Tensor::New(DataType::kInt32, TensorShape({batch}));
  for (int64_t i = 0; i < batch; ++i) {
    labels.mutable_flat<int32_t>()[static_cast<size_t>(i)] =
        static_cast<int32_t>(i % 10);
  }
  return ops::Const(s, labels);
}

Step Minimized(const Scope& s, const Output& logits, int64_t batch) {
  const Output loss =
      train::SparseSoftmaxCrossEntropy(s, Labels(s, batch), logits);
  train::GradientDescentOptimizer optimizer(0.01f);
  return {.targets = {optimizer.Minimize(
              s.WithControlDependencies(train::UpdateOps(s)), loss)},
          .fetches = {}};
}

Step Mlp(const Scope& s, const Sizes& z) {
  const VariableScope v(s);
  Output x = OnGpu(s, {z.batch, 784}, DataType::kFloat, "images");
  for (int layer = 0; layer < 2; ++layer) {
    x = train::Dense(
        v, x, z.hidden,
        {.activation = ops::Relu, .kernel_initializer = HeNormal({.seed = 1})});
  }
  return Minimized(
      s,
      train::Dense(v, x, 10,
                   {.kernel_initializer = GlorotUniform({.seed = 2})}),
      z.batch);
}

Output Normalized(const VariableScope& v, const Output& x, int64_t channels,
                  int64_t stride) {
  const Output y = train::Conv2D(v, x, channels, {3, 3},
                                 {.strides = {stride, stride},
                                  .padding = train::Padding::kSame,
                                  .use_bias = false,
                                  .kernel_initializer = HeNormal({.seed = 1})});
  return train::BatchNormalization(v, y, {.training = true});
}

// Three stages of two residual blocks, as for CIFAR-10.
Step ResNet(const Scope& s, const Sizes& z) {
  const VariableScope v(s);
  Output x = OnGpu(s, {z.images, 32, 32, 3}, DataType::kFloat, "images");
  x = ops::Relu(s, Normalized(v, x, z.width, 1));
  int64_t channels = z.width;
  for (int stage = 0; stage < 3; ++stage) {
    for (int block = 0; block < 2; ++block) {
      const bool narrows = stage > 0 && block == 0;
      Output way = x;
      if (narrows) {
        channels *= 2;
        way = train::Conv2D(v, x, channels, {1, 1},
                            {.strides = {2, 2},
                             .padding = train::Padding::kSame,
                             .use_bias = false});
      }
      Output y = ops::Relu(s, Normalized(v, x, channels, narrows ? 2 : 1));
      y = Normalized(v, y, channels, 1);
      x = ops::Relu(s, ops::AddV2(s, y, way));
    }
  }
  const Output mean =
      ops::Mean(s, x, ops::Const(s, Tensor::Vector<int32_t>({1, 2})));
  return Minimized(s, train::Dense(v, mean, 10), z.images);
}

// The time of a step: the median of many.
StatusOr<double> Seconds(const Scope& scope, const Step& step, bool may_rewrite,
                         Deadline deadline) {
  SessionOptions options;
  options.config.gpu_options.allow_growth = true;
  options.config.allow_soft_placement = true;  // labels and the like
  // Rewriting would find out that repeated operations are the same.
  options.config.graph_options.rewrite_options.disable_meta_optimizer =
      !may_rewrite;
  options.config.graph_options.optimizer_options.opt_level =
      may_rewrite ? OptimizerOptions::Level::kL1 : OptimizerOptions::Level::kL0;
  Session session(scope, options);
  MR_RETURN_IF_ERROR(
      session.RunTargets({ops::GlobalVariablesInitializer(scope)}));
  MR_ASSIGN_OR_RETURN(const Callable run,
                      session.Prepare({}, step.fetches, step.targets));
  std::vector<double> seconds;
  const int64_t begin = NowNanos();
  for (int i = 0; i < kWarmUps + kMostSteps; ++i) {
    const int64_t start = NowNanos();
    MR_RETURN_IF_ERROR(run.Run().status());
    const int64_t end = NowNanos();
    if (i >= kWarmUps)
      seconds.push_back(static_cast<double>(end - start) / 1e9);
    if (deadline.expired()) break;
    if (i >= kWarmUps + kLeastSteps && end - begin > kNanosOfARow) break;
  }
  if (seconds.empty()) return DeadlineExceeded("There was no time for it");
  std::nth_element(seconds.begin(), seconds.begin() + seconds.size() / 2,
                   seconds.end());
  return seconds[seconds.size() / 2];
}

// The time in which the driver copies a buffer within the card's memory.
StatusOr<double> CopySeconds(const Sizes& z) {
  DeviceOptions options;
  options.device_count = {{"CPU", 1}, {"GPU", 1}};
  options.gpu.allow_growth = true;
  MR_ASSIGN_OR_RETURN(const auto devices, MakeDevices(options, "localhost", 0));
  if (devices.size() < 2) return NotFound("There is no GPU");
  Device& gpu = *devices[1];
  const TensorShape shape({z.elements});
  MR_ASSIGN_OR_RETURN(
      const Tensor from,
      Tensor::Allocate(gpu.allocator(), DataType::kFloat, shape));
  const auto copy = [&](int times) -> StatusOr<double> {
    const int64_t start = NowNanos();
    for (int i = 0; i < times; ++i) {
      MR_RETURN_IF_ERROR(from.DeepCopy(gpu.allocator()).status());
    }
    Notification idle;
    Status status;
    gpu.WhenIdle(Done([&](Status ended) {
      status = std::move(ended);
      idle.Notify();
    }));
    idle.Wait();
    MR_RETURN_IF_ERROR(status);
    return static_cast<double>(NowNanos() - start) / 1e9 / times;
  };
  MR_RETURN_IF_ERROR(copy(kWarmUps).status());
  return copy(z.repeats);
}

}  // namespace

void RunBenchmarks(bool small, Deadline deadline,
                   absl::FunctionRef<void(Row)> done) {
  const Sizes& z = small ? kSmall : kFull;
  const double n = static_cast<double>(z.elements);
  const double m = static_cast<double>(z.matmul);
  const double channels = 2.0 * static_cast<double>(z.width);
  const double of_conv = 2 * static_cast<double>(z.images * z.side * z.side) *
                         9 * channels * channels;
  {
    Row row = {.name = "copy", .amount = 8 * n, .is_bytes = true};
    const StatusOr<double> seconds = CopySeconds(z);
    row.seconds = seconds.ok() ? *seconds : 0;
    if (!seconds.ok()) row.error = seconds.status().ToString();
    done(std::move(row));
  }
  const auto measure = [&](Row row, int repeats, bool may_rewrite,
                           const std::function<Step(const Scope&)>& build) {
    const Scope scope = Scope::NewRoot().WithDevice(kGpu);
    const Step step = build(scope);
    StatusOr<double> seconds =
        deadline.expired()
            ? StatusOr<double>(DeadlineExceeded("There was no time for it"))
            : Seconds(scope, step, may_rewrite, deadline);
    if (!seconds.ok()) row.error = seconds.status().ToString();
    row.seconds = seconds.ok() ? *seconds / repeats : 0;
    done(std::move(row));
  };
  measure(
      {.name = "matmul_tf32", .amount = 2 * m * m * m, .least_of_torch = 0.9},
      z.repeats, false,
      [&](const Scope& s) { return MatMul(s, z, DataType::kFloat); });
  measure(
      {.name = "matmul_bf16", .amount = 2 * m * m * m, .least_of_torch = 0.9},
      z.repeats, false,
      [&](const Scope& s) { return MatMul(s, z, DataType::kBfloat16); });
  measure(
      {.name = "convolution_tf32", .amount = of_conv, .least_of_torch = 0.9},
      z.repeats, false,
      [&](const Scope& s) { return Convolution(s, z, DataType::kFloat); });
  measure({.name = "convolution_f16", .amount = of_conv, .least_of_torch = 0.9},
          z.repeats, false,
          [&](const Scope& s) { return Convolution(s, z, DataType::kHalf); });
  measure({.name = "elementwise_add",
           .amount = 12 * n,
           .is_bytes = true,
           .least_of_copy = 0.85},
          z.repeats, false, [&](const Scope& s) { return Elementwise(s, z); });
  measure({.name = "reduce_all",
           .amount = 4 * n,
           .is_bytes = true,
           .least_of_copy = 0.85},
          z.repeats, false, [&](const Scope& s) { return Reduction(s, z); });
  measure({.name = "reduce_rows",
           .amount = 4 * n,
           .is_bytes = true,
           .least_of_copy = 0.85},
          z.repeats, false, [&](const Scope& s) { return RowReduction(s, z); });
  measure({.name = "null_step", .limit_seconds = 60e-6}, 1, false, OneKernel);
  measure({.name = "mlp_step", .least_of_torch = 0.9}, 1, true,
          [&](const Scope& s) { return Mlp(s, z); });
  measure({.name = "resnet_step", .least_of_torch = 0.9}, 1, true,
          [&](const Scope& s) { return ResNet(s, z); });
}

}  // namespace millrace::gpu_check
