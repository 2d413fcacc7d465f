// Elementwise ops on a GPU of the stand-in: graphs of them, which are fused
// into programs, against the same graphs on the CPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "millrace/base/random.h"
#include "millrace/device/devices.h"
#include "millrace/graph/all_ops.h"
#include "millrace/graph/op_registry.h"
#include "millrace/kernel/all_kernels.h"
#include "millrace/session/local_session.h"
#include "tests/gpu/use_standin.h"

namespace millrace {
namespace {

constexpr char kGpu[] = "/device:GPU:0", kCpu[] = "/device:CPU:0";

const OpRegistry& Ops() {
  static const OpRegistry* const ops =
      OpRegistry::Build(AllOps()).value().release();
  return *ops;
}

// A graph that is built twice: on the GPU and on the CPU.
class ProgramsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    cuda::UseStandIn();
    auto kernels = KernelTable::Build(AllKernels());
    ASSERT_TRUE(kernels.ok()) << kernels.status();
    kernels_ = *std::move(kernels);
    LocalSessionOptions options;
    options.ops = &Ops();
    options.kernels = &kernels_;
    DeviceOptions devices;
    devices.device_count = {{"CPU", 1}, {"GPU", 1}};
    auto made = MakeDevices(devices, "localhost", 0);
    ASSERT_TRUE(made.ok()) << made.status();
    options.devices = *std::move(made);
    auto session = LocalSession::Create(std::move(options));
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = *std::move(session);
  }

  // Adds a fed value.
  void Feed(const std::string& name, Tensor value) {
    graph_.nodes.push_back(
        {name, "Placeholder", {}, kCpu, {{"dtype", value.dtype()}}});
    feeds_.emplace_back(name + ":0", std::move(value));
  }
  void FeedFloats(const std::string& name, const TensorShape& shape) {
    Tensor t = Tensor::New(DataType::kFloat, shape);
    for (float& x : t.mutable_flat<float>()) {
      x = static_cast<float>(rng_.Double() * 2 - 1);
    }
    Feed(name, std::move(t));
  }
  // Adds an op of fed values and of earlier ops, on both devices.
  void Op(const std::string& name, const std::string& op,
          const std::vector<std::string>& inputs,
          AttrMap attrs = {{"T", DataType::kFloat}}) {
    for (const bool on_gpu : {true, false}) {
      std::vector<std::string> from = inputs;
      for (std::string& in : from) {
        if (!ops_.contains(in)) continue;
        in += on_gpu ? "/gpu" : "/cpu";
      }
      graph_.nodes.push_back({name + (on_gpu ? "/gpu" : "/cpu"), op,
                              std::move(from), on_gpu ? kGpu : kCpu, attrs});
    }
    ops_[name] = op;
  }

  // Runs both, and expects the same values of the fetches. Counts the nodes
  // that ran on the GPU, but for copies.
  void RunBoth(const std::vector<std::string>& fetches) {
    const Status extended = session_->Extend(graph_);
    ASSERT_TRUE(extended.ok()) << extended;
    graph_.nodes.clear();
    std::vector<Tensor> got, wanted;
    const Status on_gpu = Run(fetches, "/gpu:0", &got);
    const Status on_cpu = Run(fetches, "/cpu:0", &wanted);
    ASSERT_EQ(on_gpu.code(), on_cpu.code()) << on_gpu << "\n" << on_cpu;
    if (!on_cpu.ok()) {
      EXPECT_EQ(absl::StrReplaceAll(on_gpu.message(), {{"/gpu", "/cpu"}}),
                on_cpu.message());
      return;
    }
    for (size_t i = 0; i < fetches.size(); ++i) {
      ExpectSame(got[i], wanted[i], fetches[i]);
    }
  }

  Status Run(const std::vector<std::string>& fetches, const char* suffix,
             std::vector<Tensor>* outputs) {
    LocalSession::RunRequest request;
    request.feeds = feeds_;
    for (const std::string& name : fetches) {
      request.fetches.push_back(name + suffix);
    }
    request.options.trace_level = TraceLevel::kFull;
    request.options.timeout_ms = 60'000;
    RunMetadata metadata;
    MR_RETURN_IF_ERROR(session_->Run(request, outputs, &metadata));
    for (const DeviceStepStats& device : metadata.step_stats.dev_stats) {
      if (!absl::EndsWith(device.device, "GPU:0")) continue;
      nodes_on_gpu_ = 0;
      for (const NodeExecStats& node : device.node_stats) {
        if (absl::EndsWith(node.node_name, "/gpu")) ++nodes_on_gpu_;
      }
    }
    return OkStatus();
  }

  static void ExpectSame(const Tensor& got, const Tensor& wanted,
                         const std::string& name) {
    ASSERT_EQ(got.shape(), wanted.shape()) << name;
    ASSERT_EQ(got.dtype(), wanted.dtype()) << name;
    if (got.dtype() == DataType::kFloat) {
      const auto x = got.flat<float>(), y = wanted.flat<float>();
      for (size_t i = 0; i < x.size(); ++i) {
        ASSERT_NEAR(x[i], y[i], 1e-5 * std::max(1.0f, std::fabs(y[i])))
            << name << " at " << i;
      }
    } else {
      EXPECT_TRUE(IdenticalTensors(got, wanted)) << name;
    }
  }

  KernelTable kernels_;
  std::unique_ptr<LocalSession> session_;
  GraphDef graph_;
  std::vector<std::pair<std::string, Tensor>> feeds_;
  std::map<std::string, std::string> ops_;
  int nodes_on_gpu_ = 0;
  Rng rng_{17};
};

TEST_F(ProgramsTest, AChainIsOneKernel) {
  FeedFloats("x", {3, 1001});
  FeedFloats("y", {3, 1001});
  Op("sum", "AddV2", {"x", "y"});
  Op("tanh", "Tanh", {"sum"});
  Op("product", "Mul", {"tanh", "x"});
  Op("relu", "Relu", {"product"});
  RunBoth({"relu"});
  EXPECT_EQ(nodes_on_gpu_, 1);
}

TEST_F(ProgramsTest, OperandsOfOneElementAreBroadcast) {
  FeedFloats("x", {5, 7});
  FeedFloats("one", {});
  FeedFloats("ones", {1, 1, 1});
  Op("a", "Sub", {"one", "x"});
  Op("b", "Mul", {"a", "ones"});
  Op("c", "Maximum", {"b", "one"});
  RunBoth({"a", "b", "c"});
}

TEST_F(ProgramsTest, RowsColumnsAndManyDimensionsAreBroadcast) {
  FeedFloats("x", {4, 3, 8});
  FeedFloats("row", {8});
  FeedFloats("column", {4, 1, 1});
  FeedFloats("middle", {3, 1});
  Op("a", "AddV2", {"x", "row"});
  Op("b", "Mul", {"a", "column"});
  Op("c", "Sub", {"middle", "b"});
  Op("d", "SquaredDifference", {"row", "column"});
  RunBoth({"c", "d"});
  // Eight dimensions, none of which can be joined.
  FeedFloats("even", {2, 1, 2, 1, 3, 1, 2, 1});
  FeedFloats("odd", {1, 3, 1, 2, 1, 2, 1, 5});
  Op("all", "AddV2", {"even", "odd"});
  RunBoth({"all"});
}

TEST_F(ProgramsTest, ResultsOfSeveralShapesAreSeveralPrograms) {
  FeedFloats("x", {16, 12});
  FeedFloats("mean", {16, 1});
  FeedFloats("variance", {16, 1});
  Op("square", "Square", {"variance"});
  Op("scale", "Exp", {"square"});
  Op("centred", "Sub", {"x", "mean"});
  Op("scaled", "Mul", {"centred", "scale"});
  Op("other", "Neg", {"scale"});
  RunBoth({"scaled", "other", "scale"});
}

TEST_F(ProgramsTest, BiasesAreAddedInBothOrders) {
  FeedFloats("x", {2, 6, 3, 4});
  FeedFloats("last", {4});
  FeedFloats("first", {6});
  Op("a", "BiasAdd", {"x", "last"},
     {{"T", DataType::kFloat}, {"data_format", "NHWC"}});
  Op("b", "Relu", {"a"});
  Op("c", "BiasAdd", {"b", "first"},
     {{"T", DataType::kFloat}, {"data_format", "NCHW"}});
  Op("d", "Elu", {"c"});
  RunBoth({"d"});
  EXPECT_EQ(nodes_on_gpu_, 1);
}

TEST_F(ProgramsTest, TypesMixInAProgram) {
  FeedFloats("x", {9, 5});
  FeedFloats("y", {5});
  const AttrMap to_half = {{"SrcT", DataType::kFloat},
                           {"DstT", DataType::kHalf}};
  const AttrMap to_float = {{"SrcT", DataType::kHalf},
                            {"DstT", DataType::kFloat}};
  Op("less", "Less", {"x", "y"});
  Op("half", "Cast", {"x"}, to_half);
  Op("sigmoid", "Sigmoid", {"half"}, {{"T", DataType::kHalf}});
  Op("float", "Cast", {"sigmoid"}, to_float);
  Op("chosen", "SelectV2", {"less", "float", "y"});
  Op("leaky", "LeakyRelu", {"chosen"},
     {{"T", DataType::kFloat}, {"alpha", 0.25f}});
  RunBoth({"leaky", "less"});
}

TEST_F(ProgramsTest, ShapesThatDoNotFitAreTheNodesError) {
  FeedFloats("x", {3});
  FeedFloats("y", {4});
  Op("a", "Neg", {"x"});
  Op("b", "AddV2", {"a", "y"});
  Op("c", "Tanh", {"b"});
  RunBoth({"c"});
}

TEST_F(ProgramsTest, EmptyTensorsRunToo) {
  FeedFloats("x", {0, 3});
  FeedFloats("y", {3});
  Op("a", "AddV2", {"x", "y"});
  Op("b", "Exp", {"a"});
  RunBoth({"b"});
}

// Random graphs of ops and shapes.
TEST_F(ProgramsTest, RandomGroups) {
  const std::vector<TensorShape> shapes = {{4, 6, 8}, {6, 8}, {8},      {6, 1},
                                           {},        {1},    {4, 1, 8}};
  const char* const binary[] = {"AddV2", "Sub", "Mul", "Maximum", "Minimum"};
  const char* const unary[] = {"Tanh", "Neg", "Relu", "Sigmoid", "Square"};
  for (int round = 0; round < 6; ++round) {
    std::vector<std::string> values;
    const auto any = [&] { return values[rng_.Uniform(values.size())]; };
    for (int i = 0; i < 5; ++i) {
      values.push_back(absl::StrCat("x", round, "_", i));
      FeedFloats(values.back(), shapes[rng_.Uniform(shapes.size())]);
    }
    for (int i = 0; i < 14; ++i) {
      const std::string name = absl::StrCat("v", round, "_", i);
      if (rng_.Uniform(3) == 0) {
        Op(name, unary[rng_.Uniform(5)], {any()});
      } else {
        Op(name, binary[rng_.Uniform(5)], {any(), any()});
      }
      values.push_back(name);
    }
    RunBoth({values.back(), values[values.size() - 2], values[7]});
  }
}

}  // namespace
}  // namespace millrace
