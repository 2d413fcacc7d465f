// Few long lines and segments on a GPU of the stand-in: no thread has one of
// them alone. Sums of floats show it: a thread that adds ones to a large number
// loses them all. The blocks of functions are counted, too.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "millrace/graph/all_ops.h"
#include "millrace/graph/op_registry.h"
#include "millrace/kernel/all_kernels.h"
#include "millrace/session/local_session.h"
#include "tests/gpu/cuda_devices.h"
#include "tests/gpu/use_standin.h"

namespace millrace::cuda {
namespace {

constexpr int64_t kLong = 70'000;
// From here on floats are even.
constexpr float kLarge = 1 << 24;
constexpr float kLost = 2000;  // additions of ones at most

const OpRegistry& Ops() {
  static const OpRegistry* const ops =
      OpRegistry::Build(AllOps()).value().release();
  return *ops;
}

class LongLinesTest : public CudaTest {
 protected:
  void SetUp() override {
    UseStandIn();
    CudaTest::SetUp();
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

  // Returns output 0 of an op on the GPU, and counts anew.
  Tensor Run(const std::string& op, const std::vector<Tensor>& inputs,
             AttrMap attrs) {
    GraphDef graph;
    LocalSession::RunRequest request;
    const std::string name = absl::StrCat("node", ++nodes_);
    NodeDef node{name, op, {}, "/device:GPU:0", std::move(attrs)};
    for (const Tensor& input : inputs) {
      const std::string fed = absl::StrCat(name, "_in", node.inputs.size());
      graph.nodes.push_back({fed,
                             "Placeholder",
                             {},
                             "/device:CPU:0",
                             {{"dtype", input.dtype()}}});
      request.feeds.emplace_back(fed + ":0", input);
      node.inputs.push_back(fed);
    }
    graph.nodes.push_back(std::move(node));
    request.fetches = {name + ":0"};
    request.options.timeout_ms = 60'000;
    Control().Reset();
    std::vector<Tensor> outputs;
    Status status = session_->Extend(graph);
    if (status.ok()) status = session_->Run(request, &outputs, nullptr);
    EXPECT_TRUE(status.ok()) << status;
    return status.ok() ? outputs[0] : Tensor();
  }
  Tensor SegmentSums(const Tensor& x, const Tensor& ids, int32_t segments) {
    return Run("UnsortedSegmentSum", {x, ids, Tensor::Scalar(segments)},
               {{"T", DataType::kFloat},
                {"Tindices", DataType::kInt32},
                {"Tnumsegments", DataType::kInt32}});
  }
  static int64_t Blocks(const std::string& entry) {
    return static_cast<int64_t>(
        Control().Calls(("blocks of " + entry).c_str()));
  }

  // Ones, with a large number in front.
  static Tensor Ones(TensorShape shape) {
    Tensor t = Tensor::New(DataType::kFloat, std::move(shape));
    for (float& x : t.mutable_flat<float>()) x = 1;
    t.mutable_flat<float>()[0] = kLarge;
    return t;
  }
  static Tensor Same(int64_t n, int32_t id) {
    Tensor t = Tensor::New(DataType::kInt32, TensorShape({n}));
    for (int32_t& x : t.mutable_flat<int32_t>()) x = id;
    return t;
  }

 private:
  KernelTable kernels_;
  std::unique_ptr<LocalSession> session_;
  int nodes_ = 0;
};

TEST_F(LongLinesTest, AScanOfFewColumnsIsCut) {
  const Tensor z = Run(
      "Cumsum", {Ones(TensorShape({1, kLong, 2})), Tensor::Scalar(int32_t{1})},
      {{"T", DataType::kFloat}, {"Tidx", DataType::kInt32}});
  ASSERT_EQ(z.num_elements(), 2 * kLong);
  EXPECT_NEAR(z.flat<float>()[2 * kLong - 2], kLarge + kLong, kLost);
  EXPECT_EQ(z.flat<float>()[2 * kLong - 1], kLong);
  EXPECT_GE(Blocks("JoinColumns") * 256, 2 * kLong / 64);
  EXPECT_GE(Blocks("ScanColumns") * 256, 2 * kLong / 64);
}

TEST_F(LongLinesTest, AnArgMaxOfFewColumnsIsCut) {
  Tensor x = Ones(TensorShape({1, kLong, 2}));
  // Of equal elements the first, which lies in another slice.
  for (const int64_t i : {5'000, 50'000}) {
    x.mutable_flat<float>()[static_cast<size_t>(2 * i + 1)] = 3;
  }
  const Tensor z = Run("ArgMax", {x, Tensor::Scalar(int32_t{1})},
                       {{"T", DataType::kFloat},
                        {"Tidx", DataType::kInt32},
                        {"output_type", DataType::kInt64}});
  ASSERT_EQ(z.num_elements(), 2);
  EXPECT_EQ(z.flat<int64_t>()[0], 0);
  EXPECT_EQ(z.flat<int64_t>()[1], 5'000);
  EXPECT_GE(Blocks("Columns") * 256, 2 * kLong / 64);
}

TEST_F(LongLinesTest, ALongSegmentAmongManyIsCut) {
  const Tensor x = Ones(TensorShape({kLong}));
  const Tensor ids = Same(kLong, 7);
  const Tensor z = SegmentSums(x, ids, 2000);
  ASSERT_EQ(z.num_elements(), 2000);
  EXPECT_NEAR(z.flat<float>()[7], kLarge + kLong, kLost);
  EXPECT_EQ(z.flat<float>()[6], 0);
  EXPECT_EQ(z.flat<float>()[8], 0);
  EXPECT_GT(Blocks("SegmentsOfThreads"), 0);
  EXPECT_GT(Blocks("JoinParts"), 100);
  // In whatever order threads take their turns.
  Control().Set("seed", "7");
  const Tensor again = SegmentSums(x, ids, 2000);
  Control().Set("seed", "0");
  EXPECT_TRUE(IdenticalTensors(again, z));
}

TEST_F(LongLinesTest, ALongSegmentAmongFewIsCut) {
  const Tensor z = SegmentSums(Ones(TensorShape({kLong})), Same(kLong, 1), 3);
  ASSERT_EQ(z.num_elements(), 3);
  EXPECT_NEAR(z.flat<float>()[1], kLarge + kLong, kLost);
  EXPECT_EQ(z.flat<float>()[0], 0);
  EXPECT_EQ(z.flat<float>()[2], 0);
  EXPECT_GT(Blocks("SegmentsOfBlocks"), 0);
  EXPECT_GE(Blocks("JoinParts"), kLong / 4096);
}

}  // namespace
}  // namespace millrace::cuda
