// Tests steps over a CPU and GPUs with memory of their own: the same graphs on
// both give the same values, whenever the GPU does its work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "millrace/device/devices.h"
#include "millrace/device/testing/memory_gpu.h"
#include "millrace/graph/all_ops.h"
#include "millrace/graph/op_decl.h"
#include "millrace/kernel/all_kernels.h"
#include "millrace/session/local_session.h"

namespace millrace {
namespace {

using ::testing::HasSubstr;

constexpr char kTask[] = "/job:localhost/replica:0/task:0";
constexpr char kCpu[] = "/device:CPU:0";
constexpr char kGpu[] = "/device:GPU:0";
constexpr char kOtherGpu[] = "/device:GPU:1";

MR_OP(TestPlus){
    .inputs = "x: T, y: T", .outputs = "z: T", .attrs = "T: {float, int32}"};
MR_OP(TestLess){
    .inputs = "x: T, y: T", .outputs = "z: bool", .attrs = "T: {float, int32}"};
MR_OP(TestAssignPlus){.inputs = "ref: Ref(T), value: T",
                      .outputs = "output_ref: Ref(T)",
                      .attrs = "T: {float}"};

template <class T>
void Add(const T* x, const T* y, T* z, int64_t n) {
  for (int64_t i = 0; i < n; ++i) z[i] = x[i] + y[i];
}

Status PlusOnCpu(KernelContext& ctx) {
  const int64_t n = ctx.input(0).num_elements();
  MR_ASSIGN_OR_RETURN(
      Tensor * z, ctx.ForwardOrAllocateOutput({0, 1}, 0, ctx.input(0).shape()));
  if (z->dtype() == DataType::kInt32) {
    Add(ctx.input(0).flat<int32_t>().data(),
        ctx.input(1).flat<int32_t>().data(), z->mutable_flat<int32_t>().data(),
        n);
  } else {
    Add(ctx.input(0).flat<float>().data(), ctx.input(1).flat<float>().data(),
        z->mutable_flat<float>().data(), n);
  }
  return OkStatus();
}

Status LessOnCpu(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(Tensor * z, ctx.AllocateOutput(0, TensorShape()));
  z->mutable_flat<bool>()[0] =
      ctx.input_type(0) == DataType::kInt32
          ? ctx.input(0).scalar<int32_t>() < ctx.input(1).scalar<int32_t>()
          : ctx.input(0).scalar<float>() < ctx.input(1).scalar<float>();
  return OkStatus();
}

Status AssignPlusOnCpu(KernelContext& ctx) {
  Variable& v = *ctx.ref_input(0);
  {
    WriterLock lock(v.mu());
    MR_ASSIGN_OR_RETURN(Tensor * value, v.MutableLocked(ctx.allocator()));
    float* const to = value->mutable_flat<float>().data();
    Add(to, ctx.input(1).flat<float>().data(), to, value->num_elements());
  }
  ctx.set_output_ref(0, ctx.shared_ref_input(0));
  return OkStatus();
}

MemoryGpu& GpuOf(KernelContext& ctx) {
  return static_cast<MemoryGpu&>(ctx.device());
}

Status PlusOnGpu(KernelContext& ctx) {
  const int64_t n = ctx.input(0).num_elements();
  const auto* x = MemoryGpu::Elements<float>(ctx.input(0));
  const auto* y = MemoryGpu::Elements<float>(ctx.input(1));
  MR_ASSIGN_OR_RETURN(Tensor * out, ctx.ForwardOrAllocateOutput(
                                        {0, 1}, 0, ctx.input(0).shape()));
  auto* z = MemoryGpu::Elements<float>(*out);
  return GpuOf(ctx).Enqueue([=] { Add(x, y, z, n); });
}

Status LessOnGpu(KernelContext& ctx) {
  const auto* x = MemoryGpu::Elements<float>(ctx.input(0));
  const auto* y = MemoryGpu::Elements<float>(ctx.input(1));
  MR_ASSIGN_OR_RETURN(Tensor * out, ctx.AllocateOutput(0, TensorShape()));
  auto* z = MemoryGpu::Elements<bool>(*out);
  return GpuOf(ctx).Enqueue([=] { *z = *x < *y; });
}

Status AssignPlusOnGpu(KernelContext& ctx) {
  Variable& v = *ctx.ref_input(0);
  {
    WriterLock lock(v.mu());
    MR_ASSIGN_OR_RETURN(Tensor * value, v.MutableLocked(ctx.allocator()));
    auto* to = MemoryGpu::Elements<float>(*value);
    const auto* from = MemoryGpu::Elements<float>(ctx.input(1));
    const int64_t n = value->num_elements();
    MR_RETURN_IF_ERROR(GpuOf(ctx).Enqueue([=] { Add(to, from, to, n); }));
  }
  ctx.set_output_ref(0, ctx.shared_ref_input(0));
  return OkStatus();
}

MR_KERNELS(TestPlus, Cpu){{.make = MakeFunctionKernel<PlusOnCpu>}};
MR_KERNELS(TestPlus, Gpu){
    {.types = "T: float", .make = MakeFunctionKernel<PlusOnGpu>},
    {.types = "T: int32", .make = OnHost, .host = "*"}};
MR_KERNELS(TestLess, Cpu){{.make = MakeFunctionKernel<LessOnCpu>}};
MR_KERNELS(TestLess, Gpu){
    {.types = "T: float", .make = MakeFunctionKernel<LessOnGpu>},
    {.types = "T: int32", .make = OnHost, .host = "*"}};
MR_KERNELS(TestAssignPlus, Cpu){{.make = MakeFunctionKernel<AssignPlusOnCpu>}};
MR_KERNELS(TestAssignPlus, Gpu){{.make = MakeFunctionKernel<AssignPlusOnGpu>}};

const OpRegistry& OpsOfMemoryTests() {
  static const OpRegistry* const ops = [] {
    std::vector<const OpDecl*> decls(AllOps().begin(), AllOps().end());
    decls.insert(decls.end(),
                 {&mr_op_TestPlus, &mr_op_TestLess, &mr_op_TestAssignPlus});
    return OpRegistry::Build(decls).value().release();
  }();
  return *ops;
}

const KernelTable& KernelsOfMemoryTests() {
  static const KernelTable* const kernels = [] {
    std::vector<const KernelDecl*> decls = AllKernels();
    decls.insert(
        decls.end(),
        {&mr_kernels_TestPlus_Cpu, &mr_kernels_TestPlus_Gpu,
         &mr_kernels_TestLess_Cpu, &mr_kernels_TestLess_Gpu,
         &mr_kernels_TestAssignPlus_Cpu, &mr_kernels_TestAssignPlus_Gpu});
    return new KernelTable(KernelTable::Build(decls).value());
  }();
  return *kernels;
}

// A graph whose nodes are on the device `on`, and runs of it.
class MemoryGpuTest : public ::testing::Test {
 protected:
  using Names = std::vector<std::string>;

  std::string Node(std::string name, std::string op, Names inputs = {},
                   AttrMap attrs = {{"T", DataType::kFloat}}) {
    graph_.nodes.push_back(
        {name, std::move(op), std::move(inputs), on_, std::move(attrs)});
    return name;
  }
  // The same on another device.
  std::string On(std::string device, std::string name, std::string op,
                 Names inputs, AttrMap attrs = {{"T", DataType::kFloat}}) {
    std::swap(on_, device);
    Node(name, std::move(op), std::move(inputs), std::move(attrs));
    std::swap(on_, device);
    return name;
  }
  std::string Const(std::string name, Tensor value, Names after = {}) {
    const DataType type = value.dtype();
    return Node(std::move(name), "Const", std::move(after),
                {{"value", std::move(value)}, {"dtype", type}});
  }
  std::string Feed(std::string name, DataType type = DataType::kFloat) {
    return Node(std::move(name), "Placeholder", {}, {{"dtype", type}});
  }

  void Clear() {
    session_ = nullptr;
    graph_ = GraphDef();
  }
  void Start(uint64_t seed = 1, size_t limit = size_t{1} << 30) {
    LocalSessionOptions options;
    options.ops = &OpsOfMemoryTests();
    options.kernels = &KernelsOfMemoryTests();
    DeviceOptions devices;
    devices.device_count = {{"CPU", 1}, {"GPU", 0}};
    options.devices = MakeDevices(devices, "localhost", 0).value();
    for (int i = 0; i < 2; ++i) {
      auto gpu = std::make_unique<MemoryGpu>(kTask, i, seed + 100 * i, limit);
      (i == 0 ? gpu_ : other_) = gpu.get();
      options.devices.push_back(std::move(gpu));
    }
    session_ = LocalSession::Create(std::move(options)).value();
    const Status extended = session_->Extend(graph_);
    ASSERT_TRUE(extended.ok()) << extended;
  }

  using Feeds = std::vector<std::pair<std::string, Tensor>>;
  StatusOr<std::vector<Tensor>> Fetch(Names fetches, Feeds feeds = {},
                                      Names targets = {}) {
    LocalSession::RunRequest request;
    request.feeds = std::move(feeds);
    request.fetches = std::move(fetches);
    request.targets = std::move(targets);
    request.options.timeout_ms = 60'000;
    std::vector<Tensor> outputs;
    MR_RETURN_IF_ERROR(session_->Run(request, &outputs, nullptr));
    return outputs;
  }

  // Expects that `fetches` have the same values with all nodes on the CPU and
  // on the GPU, for several orders of its work. `build` makes the graph,
  // `steps` is how often it runs.
  void ExpectAsOnCpu(const std::function<void()>& build, const Names& fetches,
                     const Feeds& feeds = {}, const Names& first = {},
                     int steps = 1) {
    std::vector<Tensor> wanted;
    for (uint64_t seed = 0; seed < 12; ++seed) {
      Clear();
      on_ = seed == 0 ? kCpu : kGpu;
      build();
      Start(seed);
      if (!first.empty()) {
        const auto initialized = Fetch({}, {}, first);
        ASSERT_TRUE(initialized.ok()) << initialized.status();
      }
      StatusOr<std::vector<Tensor>> got = std::vector<Tensor>();
      for (int i = 0; i < steps; ++i) {
        got = Fetch(fetches, feeds);
        ASSERT_TRUE(got.ok()) << got.status() << " seed " << seed;
      }
      if (seed == 0) wanted = *got;
      for (size_t i = 0; i < fetches.size(); ++i) {
        EXPECT_TRUE(IdenticalTensors((*got)[i], wanted[i]))
            << fetches[i] << " is " << (*got)[i].DebugString() << ", expected "
            << wanted[i].DebugString() << ", seed " << seed;
      }
    }
    Clear();
  }

  std::string on_ = kGpu;
  GraphDef graph_;
  MemoryGpu* gpu_ = nullptr;
  MemoryGpu* other_ = nullptr;
  std::unique_ptr<LocalSession> session_;
};

Tensor Floats(std::initializer_list<float> values) {
  return Tensor::Vector<float>(values);
}
AttrMap Type(DataType type) { return {{"T", type}}; }

TEST_F(MemoryGpuTest, ValuesCrossBothWays) {
  ExpectAsOnCpu(
      [&] {
        Feed("x");
        Node("a", "TestPlus", {"x", "x"});
        On(kCpu, "b", "TestPlus", {"a", "x"});
        Node("c", "TestPlus", {"a", "b"});
        Node("d", "Identity", {"c"});
        Node("e", "TestPlus", {"d", "a"});
      },
      {"a:0", "b:0", "c:0", "e:0"}, {{"x:0", Floats({1, 2, 3, 4, 5, 6, 7})}});
}

TEST_F(MemoryGpuTest, ConstantsAreCopiedOnce) {
  Const("k", Floats({1, 2, 3, 4, 5}));
  Feed("x");
  Node("y", "TestPlus", {"k", "x"});
  Start();
  for (int i = 0; i < 5; ++i) {
    const auto y = Fetch({"y:0"}, {{"x:0", Floats({1, 1, 1, 1, 1})}});
    ASSERT_TRUE(y.ok()) << y.status();
    EXPECT_EQ((*y)[0].flat<float>()[4], 6);
  }
  EXPECT_EQ(gpu_->copies_from_host(), 5 + 1);
  EXPECT_EQ(gpu_->copies_to_host(), 5);
  EXPECT_EQ(gpu_->waits(), 5);
}

TEST_F(MemoryGpuTest, IntegersOfShapesStayOnTheHost) {
  Feed("x");
  Node("shape", "Shape", {"x"}, {{"T", DataType::kFloat}});
  Node("twice", "TestPlus", {"shape", "shape"}, Type(DataType::kInt32));
  Node("y", "Reshape", {"x", "shape"}, {{"T", DataType::kFloat}});
  Start();
  const auto got = Fetch({"twice:0", "y:0"},
                         {{"x:0", Tensor::Zeros(DataType::kFloat, {7})}});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ((*got)[0].flat<int32_t>()[0], 14);
  EXPECT_EQ(gpu_->copies_from_host(), 1);
  EXPECT_EQ(gpu_->copies_to_host(), 1);
}

TEST_F(MemoryGpuTest, VariablesLieOnTheDevice) {
  ExpectAsOnCpu(
      [&] {
        Node("v", "VariableV2", {},
             {{"dtype", DataType::kFloat},
              {"shape", PartialShape(TensorShape({5}))}});
        Const("start", Floats({1, 2, 3, 4, 5}));
        Node("init", "Assign", {"v", "start"});
        Const("one", Floats({1, 1, 1, 1, 1}));
        Node("read", "Identity", {"v"});
        Node("before", "TestPlus", {"read", "one"});
        Node("update", "TestAssignPlus", {"v", "one", "^before"});
        // Reads through a view that was made before the update.
        Node("after", "TestPlus", {"read", "one", "^update"});
        On(kCpu, "cpu", "TestPlus", {"after", "after"});
        Node("last", "TestAssignPlus", {"v", "cpu"});
      },
      {"before:0", "after:0", "cpu:0", "last:0"}, {}, {"init"}, 4);
}

TEST_F(MemoryGpuTest, ReadersOnTheHostWaitForTheUpdatesBeforeThem) {
  const auto sizes = [](int64_t a, int64_t b) {
    return Tensor::Vector<int64_t>({a, b});
  };
  ExpectAsOnCpu(
      [&] {
        Feed("x");
        Node("v", "VariableV2", {},
             {{"dtype", DataType::kInt64},
              {"shape", PartialShape(TensorShape({2}))}});
        Const("before", sizes(5, 1));
        Const("after", sizes(1, 5));
        Node("init", "Assign", {"v", "before"}, Type(DataType::kInt64));
        Node("read", "Identity", {"v"}, Type(DataType::kInt64));
        const AttrMap reshape = {{"T", DataType::kFloat},
                                 {"Tshape", DataType::kInt64}};
        Node("y", "Reshape", {"x", "read"}, reshape);
        Node("set", "Assign", {"v", "after", "^y"}, Type(DataType::kInt64));
        Node("z", "Reshape", {"x", "read", "^set"}, reshape);
      },
      {"y:0", "z:0"}, {{"x:0", Floats({1, 2, 3, 4, 5})}}, {"init"});
}

TEST_F(MemoryGpuTest, ResourceVariables) {
  ExpectAsOnCpu(
      [&] {
        const Feeds values = {{"f", Floats({1, 2, 3, 4, 5})},
                              {"s", Tensor::Scalar<float>(1)}};
        for (const auto& [suffix, value] : values) {
          const AttrMap type = {{"dtype", value.dtype()}};
          Node("v" + suffix, "VarHandleOp", {},
               {{"dtype", value.dtype()},
                {"shape", PartialShape(TensorShape({5}))}});
          Const("start" + suffix, value);
          Node("init" + suffix, "AssignVariableOp",
               {"v" + suffix, "start" + suffix}, type);
          Node("read" + suffix, "ReadVariableOp", {"v" + suffix}, type);
          Node("sum" + suffix, "TestPlus", {"read" + suffix, "read" + suffix},
               Type(value.dtype()));
          Node("set" + suffix, "AssignVariableOp",
               {"v" + suffix, "sum" + suffix}, type);
          Node("new" + suffix, "ReadVariableOp",
               {"v" + suffix, "^set" + suffix}, type);
        }
        Node("shape", "VariableShape", {"vf"}, {});
        Node("is", "VarIsInitializedOp", {"vf"}, {});
      },
      {"newf:0", "news:0", "shape:0", "is:0"}, {}, {"initf", "inits"}, 3);
}

TEST_F(MemoryGpuTest, BranchesThatAreNotTaken) {
  for (const bool taken : {false, true}) {
    ExpectAsOnCpu(
        [&] {
          Feed("x");
          Feed("p", DataType::kBool);
          Node("id", "Identity", {"p"}, Type(DataType::kBool));
          Node("s", "Switch", {"x", "id"});
          Node("t", "TestPlus", {"s:1", "s:1"});
          On(kCpu, "f", "TestPlus", {"s:0", "s:0"});
          Node("fg", "TestPlus", {"f", "f"});
          Node("m", "Merge", {"fg", "t"},
               {{"T", DataType::kFloat}, {"N", int64_t{2}}});
          Node("y", "TestPlus", {"m", "m"});
        },
        {"y:0", "m:1"},
        {{"x:0", Floats({1, 2, 3, 4, 5})}, {"p:0", Tensor::Scalar(taken)}});
  }
}

// while i < limit: x, i = x + x, i + one
TEST_F(MemoryGpuTest, Loops) {
  for (const DataType counter : {DataType::kFloat, DataType::kInt32}) {
    const auto number = [&](float v) {
      return counter == DataType::kFloat
                 ? Tensor::Scalar<float>(v)
                 : Tensor::Scalar<int32_t>(static_cast<int32_t>(v));
    };
    ExpectAsOnCpu(
        [&] {
          const AttrMap i = Type(counter);
          const auto enter = [](DataType type, bool constant) {
            return AttrMap({{"T", type},
                            {"frame_name", "loop"},
                            {"is_constant", constant}});
          };
          Feed("x");
          Const("zero", number(0));
          Const("limit", number(5));
          Const("one", number(1));
          Node("ei", "Enter", {"zero"}, enter(counter, false));
          Node("ex", "Enter", {"x"}, enter(DataType::kFloat, false));
          Node("el", "Enter", {"limit"}, enter(counter, true));
          Node("eo", "Enter", {"one"}, enter(counter, true));
          Node("mi", "Merge", {"ei", "ni"},
               {{"T", counter}, {"N", int64_t{2}}});
          Node("mx", "Merge", {"ex", "nx"},
               {{"T", DataType::kFloat}, {"N", int64_t{2}}});
          Node("less", "TestLess", {"mi", "el"}, i);
          Node("cond", "LoopCond", {"less"}, {});
          Node("si", "Switch", {"mi", "cond"}, i);
          Node("sx", "Switch", {"mx", "cond"});
          Node("pi", "TestPlus", {"si:1", "eo"}, i);
          Node("px", "TestPlus", {"sx:1", "sx:1"});
          On(kCpu, "qx", "TestPlus", {"px", "px"});
          Node("rx", "TestPlus", {"qx", "px"});
          Node("ni", "NextIteration", {"pi"}, i);
          Node("nx", "NextIteration", {"rx"});
          Node("y", "Exit", {"sx:0"});
          Node("n", "Exit", {"si:0"}, i);
        },
        {"y:0", "n:0"}, {{"x:0", Floats({1, 2, 3, 4, 5})}});
  }
}

TEST_F(MemoryGpuTest, LoopsOnTheDeviceNeedNoCopiesOfTheirValues) {
  Feed("x");
  Const("zero", Tensor::Scalar<int32_t>(0));
  Const("limit", Tensor::Scalar<int32_t>(10));
  Const("one", Tensor::Scalar<int32_t>(1));
  const AttrMap i = Type(DataType::kInt32);
  const auto enter = [](DataType type, bool constant) {
    return AttrMap(
        {{"T", type}, {"frame_name", "loop"}, {"is_constant", constant}});
  };
  Node("ei", "Enter", {"zero"}, enter(DataType::kInt32, false));
  Node("ex", "Enter", {"x"}, enter(DataType::kFloat, false));
  Node("el", "Enter", {"limit"}, enter(DataType::kInt32, true));
  Node("eo", "Enter", {"one"}, enter(DataType::kInt32, true));
  Node("mi", "Merge", {"ei", "ni"},
       {{"T", DataType::kInt32}, {"N", int64_t{2}}});
  Node("mx", "Merge", {"ex", "nx"},
       {{"T", DataType::kFloat}, {"N", int64_t{2}}});
  Node("less", "TestLess", {"mi", "el"}, i);
  Node("cond", "LoopCond", {"less"}, {});
  Node("si", "Switch", {"mi", "cond"}, i);
  Node("sx", "Switch", {"mx", "cond"});
  Node("pi", "TestPlus", {"si:1", "eo"}, i);
  Node("px", "TestPlus", {"sx:1", "sx:1"});
  Node("ni", "NextIteration", {"pi"}, i);
  Node("nx", "NextIteration", {"px"});
  Node("y", "Exit", {"sx:0"});
  Start();
  const auto y = Fetch({"y:0"}, {{"x:0", Floats({1, 2, 3, 4, 5})}});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ((*y)[0].flat<float>()[0], 1024);
  EXPECT_EQ(gpu_->copies_from_host(), 1);
  EXPECT_EQ(gpu_->copies_to_host(), 1);
  EXPECT_EQ(gpu_->waits(), 1);
}

TEST_F(MemoryGpuTest, DevicesOfOneTaskCopyFromEachOther) {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    Clear();
    Feed("x");
    Node("a", "TestPlus", {"x", "x"});
    On(kOtherGpu, "b", "TestPlus", {"a", "a"});
    On(kOtherGpu, "shape", "Shape", {"a"});
    Node("c", "TestPlus", {"b", "a"});
    Node("after", "Identity", {"c", "^b"});
    Start(seed);
    const auto got = Fetch({"after:0", "b:0", "shape:0"},
                           {{"x:0", Floats({1, 2, 3, 4, 5})}});
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_EQ((*got)[0].flat<float>()[4], 30);
    EXPECT_EQ((*got)[1].flat<float>()[4], 20);
    EXPECT_EQ((*got)[2].flat<int32_t>()[0], 5);
    EXPECT_EQ(gpu_->copies_from_peers(), 1);
    EXPECT_EQ(other_->copies_from_peers(), 1);
    EXPECT_EQ(other_->copies_from_host(), 0);
  }
}

TEST_F(MemoryGpuTest, ArraysOfTensors) {
  ExpectAsOnCpu(
      [&] {
        Feed("x");
        Const("size", Tensor::Scalar<int32_t>(3));
        Node("ta", "TensorArrayV3", {"size"}, {{"dtype", DataType::kFloat}});
        std::string flow = "ta:1";
        std::string value = "x";
        for (int i = 0; i < 3; ++i) {
          const std::string n = std::to_string(i);
          Const("index" + n, Tensor::Scalar<int32_t>(i));
          value = Node("value" + n, "TestPlus", {value, value});
          flow = Node("write" + n, "TensorArrayWriteV3",
                      {"ta:0", "index" + n, value, flow});
        }
        Const("indices", Tensor::Vector<int32_t>({2, 0, 1}));
        const AttrMap type = {{"dtype", DataType::kFloat}};
        Node("gather", "TensorArrayGatherV3", {"ta:0", "indices", flow}, type);
        Node("size_after", "TensorArraySizeV3", {"ta:0", flow}, {});
        Node("tb", "TensorArrayV3", {"size"},
             {{"dtype", DataType::kFloat}, {"clear_after_read", false}});
        Node("scatter", "TensorArrayScatterV3",
             {"tb:0", "indices", "gather", "tb:1"});
        Node("read", "TensorArrayReadV3", {"tb:0", "index1", "scatter"}, type);
        Node("concat", "TensorArrayConcatV3", {"tb:0", "scatter", "^read"},
             type);
      },
      {"gather:0", "read:0", "size_after:0", "concat:0", "concat:1"},
      {{"x:0", Floats({1, 2, 3, 4, 5})}});
}

TEST_F(MemoryGpuTest, ListsAndStacksOfTensors) {
  ExpectAsOnCpu(
      [&] {
        Feed("x");
        Node("y", "TestPlus", {"x", "x"});
        Const("shape", Tensor::Vector<int32_t>({5}));
        Const("most", Tensor::Scalar<int32_t>(-1));
        const AttrMap element = {{"element_dtype", DataType::kFloat}};
        Node("list", "EmptyTensorList", {"shape", "most"},
             {{"element_dtype", DataType::kFloat},
              {"shape_type", DataType::kInt32}});
        Node("l1", "TensorListPushBack", {"list", "x"}, element);
        Node("l2", "TensorListPushBack", {"l1", "y"}, element);
        Node("stack", "TensorListStack", {"l2", "shape"}, element);
        Node("pop", "TensorListPopBack", {"l2", "shape"}, element);
        Node("z", "TestPlus", {"pop:1", "x"});
        Node("s", "StackV2", {"most"}, {{"elem_type", DataType::kFloat}});
        Node("push", "StackPushV2", {"s", "z"});
        Node("popped", "StackPopV2", {"s", "^push"},
             {{"elem_type", DataType::kFloat}});
      },
      {"stack:0", "z:0", "popped:0"}, {{"x:0", Floats({1, 2, 3, 4, 5})}});
}

// Kernels of the CPU compute with the tensors in lists, as gradients of loops
// do.
TEST_F(MemoryGpuTest, ListsAreSummedOnTheHost) {
  ExpectAsOnCpu(
      [&] {
        Feed("x");
        Node("y", "TestPlus", {"x", "x"});
        Const("shape", Tensor::Vector<int32_t>({5}));
        Const("most", Tensor::Scalar<int32_t>(-1));
        const AttrMap element = {{"element_dtype", DataType::kFloat}};
        Node("list", "EmptyTensorList", {"shape", "most"},
             {{"element_dtype", DataType::kFloat},
              {"shape_type", DataType::kInt32}});
        Node("l1", "TensorListPushBack", {"list", "x"}, element);
        Node("l2", "TensorListPushBack", {"l1", "y"}, element);
        Node("l3", "TensorListPushBack", {"l1", "x"}, element);
        Node("sum", "AddN", {"l2", "l3"},
             {{"T", DataType::kVariant}, {"N", int64_t{2}}});
        Node("zeros", "ZerosLike", {"l2"}, {{"T", DataType::kVariant}});
        Node("both", "AddN", {"sum", "zeros"},
             {{"T", DataType::kVariant}, {"N", int64_t{2}}});
        Node("sums", "TensorListStack", {"both", "shape"}, element);
        Node("none", "TensorListStack", {"zeros", "shape"}, element);
        Node("later", "TestPlus", {"sums", "none"});
      },
      {"sums:0", "none:0", "later:0"}, {{"x:0", Floats({1, 2, 3, 4, 5})}});
}

TEST_F(MemoryGpuTest, MemoryThatRunsOutNamesNodeAndDevice) {
  Feed("x");
  Node("y", "TestPlus", {"x", "x"});
  Start(1, 1000);
  const auto y =
      Fetch({"y:0"}, {{"x:0", Tensor::Zeros(DataType::kFloat, {1000})}});
  EXPECT_EQ(y.status().code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(y.status().message()),
              HasSubstr("OOM when allocating tensor with shape[1000] and type "
                        "float on /job:localhost/replica:0/task:0/device:GPU:0 "
                        "for node "));
  EXPECT_EQ(gpu_->in_use_bytes(), 0u);
}

TEST_F(MemoryGpuTest, ErrorsOfTheDeviceEndTheStep) {
  On(kCpu, "x", "Placeholder", {}, {{"dtype", DataType::kFloat}});
  Node("y", "TestPlus", {"x", "x"});
  On(kCpu, "z", "TestPlus", {"x", "x"});
  Start();
  gpu_->Poison(Internal("GPU:0: CUDA_ERROR_ILLEGAL_ADDRESS"));
  const Feeds feeds = {{"x:0", Floats({1, 2, 3, 4, 5})}};
  EXPECT_EQ(Fetch({}, feeds, {"y"}).status().code(), StatusCode::kInternal);
  EXPECT_EQ(Fetch({"y:0"}, feeds).status().code(), StatusCode::kInternal);
  EXPECT_TRUE(Fetch({"z:0"}, feeds).ok());
}

}  // namespace
}  // namespace millrace
