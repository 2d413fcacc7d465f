// Tests that kernels which are declared for GPUs are placed there, and run
// beside those of CPUs. The GPU is a pretend one, and its kernels are code of a
// CPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "millrace/device/devices.h"
#include "millrace/device/testing/fake_gpu_kernels.h"
#include "millrace/graph/all_ops.h"
#include "millrace/graph/op_decl.h"
#include "millrace/kernel/all_kernels.h"
#include "millrace/session/local_session.h"

namespace millrace {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

MR_OP(OnBoth){
    .inputs = "x: T", .outputs = "y: T", .attrs = "T: {float, double}"};
MR_OP(OnCpus){
    .inputs = "x: T", .outputs = "y: T", .attrs = "T: {float, double}"};
MR_OP(OnGpus){
    .inputs = "x: T", .outputs = "y: T", .attrs = "T: {float, double}"};

// Adds a number that tells which device's kernel ran.
template <int kNumber>
Status AddNumber(KernelContext& ctx) {
  const TensorShape shape = ctx.input(0).shape();
  MR_ASSIGN_OR_RETURN(Tensor * y, ctx.ForwardOrAllocateOutput({0}, 0, shape));
  const auto from = ctx.input(0).flat<float>();
  const auto to = y->mutable_flat<float>();
  return ctx.ParallelFor(shape.num_elements(), /*cost_nanos_per_unit=*/1,
                         [&](int64_t begin, int64_t end) {
                           for (int64_t i = begin; i < end; ++i) {
                             to[i] = from[i] + kNumber;
                           }
                         });
}

MR_KERNELS(OnBoth, Cpu){{.make = MakeFunctionKernel<AddNumber<1>>}};
MR_KERNELS(OnBoth, Gpu){
    {.types = "T: float", .make = MakeFunctionKernel<AddNumber<100>>}};
MR_KERNELS(OnCpus, Cpu){{.make = MakeFunctionKernel<AddNumber<1>>}};
MR_KERNELS(OnGpus, Gpu){{.make = MakeFunctionKernel<AddNumber<100>>}};

const OpRegistry& OpsOfGpuTests() {
  static const OpRegistry* const ops = [] {
    std::vector<const OpDecl*> decls(AllOps().begin(), AllOps().end());
    decls.insert(decls.end(), {&mr_op_OnBoth, &mr_op_OnCpus, &mr_op_OnGpus});
    return OpRegistry::Build(decls).value().release();
  }();
  return *ops;
}

// A session with a CPU and a pretend GPU.
class GpuKernelsTest : public ::testing::Test {
 protected:
  GpuKernelsTest() {
    AddNode("x", "Placeholder", {}, "", {{"dtype", DataType::kFloat}});
  }

  void AddNode(std::string name, std::string op,
               std::vector<std::string> inputs, std::string device = "",
               AttrMap attrs = {{"T", DataType::kFloat}}) {
    graph_.nodes.push_back({std::move(name), std::move(op), std::move(inputs),
                            std::move(device), std::move(attrs)});
  }

  // The GPU runs its own kernels and the CPU's of the ops `as_on_cpus`.
  Status Start(std::vector<absl::string_view> as_on_cpus = {"_Send", "_Recv"},
               bool soft_placement = false) {
    fakes_ = FakeGpuKernels(AllCpuKernels(), as_on_cpus);
    std::vector<const KernelDecl*> decls(AllCpuKernels().begin(),
                                         AllCpuKernels().end());
    for (const KernelDecl& fake : fakes_) decls.push_back(&fake);
    decls.insert(decls.end(), {&mr_kernels_OnBoth_Cpu, &mr_kernels_OnBoth_Gpu,
                               &mr_kernels_OnCpus_Cpu, &mr_kernels_OnGpus_Gpu});
    MR_ASSIGN_OR_RETURN(kernels_, KernelTable::Build(decls));
    LocalSessionOptions options;
    options.ops = &OpsOfGpuTests();
    options.kernels = &kernels_;
    options.config.allow_soft_placement = soft_placement;
    DeviceOptions devices;
    devices.device_count = {{"CPU", 1}, {"GPU", 1}};
    devices.fake_gpu = true;
    MR_ASSIGN_OR_RETURN(options.devices, MakeDevices(devices, "localhost", 0));
    MR_ASSIGN_OR_RETURN(session_, LocalSession::Create(std::move(options)));
    return session_->Extend(graph_);
  }

  // Feeds x = [1, 2], and keeps on which device each node ran.
  StatusOr<std::vector<float>> Run(const std::string& fetch) {
    LocalSession::RunRequest request;
    request.feeds = {{"x:0", Tensor::Vector<float>({1, 2})}};
    request.fetches = {fetch};
    request.options.trace_level = TraceLevel::kFull;
    std::vector<Tensor> outputs;
    RunMetadata metadata;
    MR_RETURN_IF_ERROR(session_->Run(request, &outputs, &metadata));
    for (const DeviceStepStats& device : metadata.step_stats.dev_stats) {
      for (const NodeExecStats& node : device.node_stats) {
        device_of_[node.node_name] = device.device;
      }
    }
    const auto values = outputs[0].flat<float>();
    return std::vector<float>(values.begin(), values.end());
  }

  GraphDef graph_;
  std::map<std::string, std::string> device_of_;
  std::vector<KernelDecl> fakes_;
  KernelTable kernels_;
  std::unique_ptr<LocalSession> session_;
};

TEST_F(GpuKernelsTest, RunOnTheGpuBesideThoseOfCpus) {
  AddNode("on_cpus", "OnCpus", {"x"});
  AddNode("on_both", "OnBoth", {"on_cpus"});
  AddNode("on_gpus", "OnGpus", {"on_both"});
  AddNode("sum", "AddV2", {"on_cpus", "on_gpus"});
  const Status started = Start();
  ASSERT_TRUE(started.ok()) << started;
  const auto sum = Run("sum:0");
  ASSERT_TRUE(sum.ok()) << sum.status();
  EXPECT_THAT(*sum, ElementsAre(2 + 202, 3 + 203));
  EXPECT_THAT(device_of_["on_cpus"], EndsWith("/device:CPU:0"));
  EXPECT_THAT(device_of_["on_both"], EndsWith("/device:GPU:0"));
  EXPECT_THAT(device_of_["on_gpus"], EndsWith("/device:GPU:0"));
  EXPECT_THAT(device_of_["sum"], EndsWith("/device:CPU:0"));
}

TEST_F(GpuKernelsTest, RequestsChooseTheDevice) {
  AddNode("asked", "OnBoth", {"x"}, "/device:CPU:0");
  AddNode("free", "OnBoth", {"asked"});
  const Status started = Start();
  ASSERT_TRUE(started.ok()) << started;
  const auto values = Run("free:0");
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_THAT(*values, ElementsAre(102, 103));
  EXPECT_THAT(device_of_["asked"], EndsWith("/device:CPU:0"));
  EXPECT_THAT(device_of_["free"], EndsWith("/device:GPU:0"));
}

TEST_F(GpuKernelsTest, AnOpWithoutOneNamesTheDevice) {
  AddNode("n", "OnCpus", {"x"}, "/device:GPU:0");
  const Status status = Start();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(
      std::string(status.message()),
      HasSubstr("Could not satisfy explicit device specification "
                "'/device:GPU:0' because no supported kernel for GPU devices "
                "is available. Op OnCpus of {{node n}} has these kernels:\n"
                "  device='CPU'\n"));
}

TEST_F(GpuKernelsTest, ATypeWithoutOneNamesTheDevice) {
  AddNode("d", "Placeholder", {}, "", {{"dtype", DataType::kDouble}});
  AddNode("n", "OnBoth", {"d"}, "/device:GPU:0", {{"T", DataType::kDouble}});
  const Status status = Start();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("no supported kernel for GPU devices is available. Op "
                        "OnBoth of {{node n}} has these kernels:\n"
                        "  device='CPU'\n  device='GPU'; T in [DT_FLOAT]\n"));
}

TEST_F(GpuKernelsTest, SoftPlacementTakesTheCpu) {
  AddNode("n", "OnCpus", {"x"}, "/device:GPU:0");
  const Status started = Start({"_Send", "_Recv"}, /*soft_placement=*/true);
  ASSERT_TRUE(started.ok()) << started;
  const auto values = Run("n:0");
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_THAT(*values, ElementsAre(2, 3));
  EXPECT_THAT(device_of_["n"], EndsWith("/device:CPU:0"));
}

TEST_F(GpuKernelsTest, TransfersNeedKernelsToo) {
  AddNode("on_cpus", "OnCpus", {"x"});
  AddNode("on_gpus", "OnGpus", {"on_cpus"});
  AddNode("back", "OnCpus", {"on_gpus"});
  const Status started = Start(/*as_on_cpus=*/{});
  ASSERT_TRUE(started.ok()) << started;
  const Status status = Run("back:0").status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("Registered devices: [GPU]\nRegistered kernels:\n"
                        "  device='CPU'\n"));
}

TEST(AllKernels, AreThoseOfEachDevice) {
  for (const KernelDecl* decl : AllCpuKernels()) {
    EXPECT_STREQ(decl->device_type, "CPU") << decl->op;
  }
  for (const KernelDecl* decl : AllGpuKernels()) {
    EXPECT_STREQ(decl->device_type, "GPU") << decl->op;
  }
  EXPECT_EQ(AllKernels().size(),
            AllCpuKernels().size() + AllGpuKernels().size());
  EXPECT_TRUE(KernelTable::Build(AllKernels()).ok());
}

}  // namespace
}  // namespace millrace
