#include "millrace/pass/place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/base/check.h"
#include "millrace/graph/testing/registry.h"

namespace millrace {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Status RunNothing(KernelContext&) { return OkStatus(); }

const OpRegistry& Ops() {
  static constexpr OpDecl kDecls[] = {
      {"Source", {.outputs = "o: float"}},
      {"Pass", {.inputs = "i: float", .outputs = "o: float"}},
      {"HostOnly", {.inputs = "i: float", .outputs = "o: float"}},
      {"GpuOnly", {.outputs = "o: float"}},
      {"IfAsked", {.inputs = "i: float", .outputs = "o: float"}},
      {"Nowhere", {.outputs = "o: float"}},
      {"Typed", {.outputs = "o: T", .attrs = "T: type"}},
      {"RefVar", {.outputs = "ref: Ref(float)", .flags = kStateful}},
      {"AssignRef",
       {.inputs = "ref: Ref(float), v: float", .outputs = "o: Ref(float)"}},
      {"EitherRef",
       {.inputs = "a: Ref(float), b: Ref(float)", .outputs = "o: Ref(float)"}},
      {"Handle", {.outputs = "h: resource", .flags = kStateful}},
      {"Read", {.inputs = "h: resource", .outputs = "o: float"}},
  };
  static const OpRegistry& ops = MakeTestRegistry(kDecls);
  return ops;
}

const KernelTable& Kernels() {
  static constexpr KernelEntry kAny = {.make = MakeFunctionKernel<RunNothing>};
  static constexpr KernelEntry kFloat = {
      .types = "T: float", .make = MakeFunctionKernel<RunNothing>};
  static constexpr KernelEntry kIfAsked = {
      .make = MakeFunctionKernel<RunNothing>, .only_if_asked = true};
  static const KernelDecl kDecls[] = {
      {"IfAsked", "CPU", {kAny}},   {"IfAsked", "GPU", {kIfAsked}},
      {"Source", "CPU", {kAny}},    {"Source", "GPU", {kAny}},
      {"Pass", "CPU", {kAny}},      {"Pass", "GPU", {kAny}},
      {"HostOnly", "CPU", {kAny}},  {"GpuOnly", "GPU", {kAny}},
      {"Typed", "CPU", {kAny}},     {"Typed", "GPU", {kFloat}},
      {"RefVar", "CPU", {kAny}},    {"RefVar", "GPU", {kAny}},
      {"AssignRef", "CPU", {kAny}}, {"AssignRef", "GPU", {kAny}},
      {"EitherRef", "CPU", {kAny}}, {"Handle", "CPU", {kAny}},
      {"Handle", "GPU", {kAny}},    {"Read", "CPU", {kAny}},
      {"Read", "GPU", {kAny}},
  };
  static const KernelTable* const table = [] {
    std::vector<const KernelDecl*> all;
    for (const KernelDecl& decl : kDecls) all.push_back(&decl);
    return new KernelTable(*KernelTable::Build(all));
  }();
  return *table;
}

// The tasks ps/0, ps/1, worker/0 and worker/1 have a CPU each; if requested,
// the workers have two GPUs and a second CPU.
class PlaceTest : public testing::Test {
 protected:
  PlaceTest() : graph_(&Ops()) {
    options_.default_task = *DeviceName::Parse("/job:worker/replica:0/task:0");
  }
  void AddDevices(bool gpus) {
    for (const char* task :
         {"ps/replica:0/task:0", "ps/replica:0/task:1",
          "worker/replica:0/task:0", "worker/replica:0/task:1"}) {
      const bool worker = task[0] == 'w';
      AddDevice(task, "CPU", 0);
      if (!gpus || !worker) continue;
      AddDevice(task, "CPU", 1);
      AddDevice(task, "GPU", 0);
      AddDevice(task, "GPU", 1);
    }
  }
  void AddDevice(absl::string_view task, const char* type, int index) {
    const std::string name =
        absl::StrCat("/job:", task, "/device:", type, ":", index);
    devices_.push_back({name, *DeviceName::Parse(name), type});
  }
  NodeId Add(const std::string& name, const std::string& op,
             const std::string& device = "", std::vector<NodeId> inputs = {},
             AttrMap attrs = {}) {
    std::vector<OutputRef> refs;
    for (NodeId id : inputs) refs.push_back({id, 0});
    auto node = graph_.AddNode(name, op, refs, std::move(attrs), device);
    MR_CHECK(node.ok(), node.status().ToString());
    return (*node)->id;
  }
  Status Place(NodeId first = 0) {
    if (devices_.empty()) AddDevices(false);
    return SimplePlacer(devices_, &Kernels(), options_).Place(&graph_, first);
  }
  const std::string& DeviceOf(const std::string& name) {
    return graph_.Find(name)->assigned_device;
  }

  Graph graph_;
  std::vector<PlaceableDevice> devices_;
  PlacementOptions options_;
};

TEST_F(PlaceTest, DefaultsOfOmittedParts) {
  Add("none", "Source");
  Add("job", "Source", "/job:ps");
  Add("task", "Source", "/job:ps/task:1");
  Add("other", "Source", "/job:worker/task:1");
  ASSERT_TRUE(Place().ok());
  EXPECT_EQ(DeviceOf("none"), "/job:worker/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(DeviceOf("job"), "/job:ps/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(DeviceOf("task"), "/job:ps/replica:0/task:1/device:CPU:0");
  EXPECT_EQ(DeviceOf("other"), "/job:worker/replica:0/task:1/device:CPU:0");
}

TEST_F(PlaceTest, TheLowestTaskThatIsThere) {
  AddDevice("ps/replica:0/task:7", "CPU", 0);
  AddDevice("ps/replica:0/task:3", "CPU", 0);
  Add("n", "Source", "/job:ps");
  ASSERT_TRUE(Place().ok());
  EXPECT_EQ(DeviceOf("n"), "/job:ps/replica:0/task:3/device:CPU:0");
}

TEST_F(PlaceTest, TheFirstGpuThatHasTheKernel) {
  AddDevices(true);
  const NodeId a = Add("both", "Source");
  Add("host", "HostOnly", "", {a});
  Add("float", "Typed", "", {}, {{"T", DataType::kFloat}});
  Add("double", "Typed", "", {}, {{"T", DataType::kDouble}});
  Add("second", "Pass", "/gpu:1", {a});
  Add("cpu", "Pass", "/cpu:1", {a});
  ASSERT_TRUE(Place().ok());
  const std::string task = "/job:worker/replica:0/task:0/device:";
  EXPECT_EQ(DeviceOf("both"), task + "GPU:0");
  EXPECT_EQ(DeviceOf("host"), task + "CPU:0");
  EXPECT_EQ(DeviceOf("float"), task + "GPU:0");
  EXPECT_EQ(DeviceOf("double"), task + "CPU:0");
  EXPECT_EQ(DeviceOf("second"), task + "GPU:1");
  EXPECT_EQ(DeviceOf("cpu"), task + "CPU:1");
}

TEST_F(PlaceTest, AGpuThatIsNotTheRightPlaceIsTakenIfAskedFor) {
  AddDevices(true);
  const NodeId a = Add("a", "Source");
  Add("anywhere", "IfAsked", "", {a});
  Add("there", "IfAsked", "/job:worker", {a});
  Add("asked", "IfAsked", "/gpu:1", {a});
  Add("along", "IfAsked", "", {a},
      {{"_class", AttrValue::StringList{"loc:@asked"}}});
  ASSERT_TRUE(Place().ok());
  const std::string task = "/job:worker/replica:0/task:0/device:";
  EXPECT_EQ(DeviceOf("a"), task + "GPU:0");
  EXPECT_EQ(DeviceOf("anywhere"), task + "CPU:0");
  EXPECT_EQ(DeviceOf("there"), task + "CPU:0");
  EXPECT_EQ(DeviceOf("asked"), task + "GPU:1");
  EXPECT_EQ(DeviceOf("along"), task + "GPU:1");
}

TEST_F(PlaceTest, ReferenceEdgesKeepNodesTogether) {
  const NodeId var = Add("var", "RefVar", "/job:ps/task:1");
  const NodeId value = Add("value", "Source");
  Add("assign", "AssignRef", "", {var, value});
  ASSERT_TRUE(Place().ok());
  EXPECT_EQ(DeviceOf("assign"), DeviceOf("var"));
  EXPECT_EQ(DeviceOf("value"), "/job:worker/replica:0/task:0/device:CPU:0");
}

TEST_F(PlaceTest, ResourceEdgesDoToo) {
  const NodeId handle = Add("handle", "Handle", "/job:ps/task:1");
  Add("read", "Read", "", {handle});
  // A client's request for the read alone does not count.
  Add("wish", "Read", "/job:worker/task:1", {handle});
  ASSERT_TRUE(Place().ok());
  EXPECT_EQ(DeviceOf("read"), "/job:ps/replica:0/task:1/device:CPU:0");
  EXPECT_EQ(DeviceOf("wish"), "/job:ps/replica:0/task:1/device:CPU:0");
}

TEST_F(PlaceTest, WhatTakesAReferenceFollowsTheVariable) {
  const NodeId var = Add("var", "RefVar", "/job:ps/task:1");
  const NodeId value = Add("value", "Source", "/job:worker/task:1");
  const NodeId assign =
      Add("assign", "AssignRef", "/job:worker/task:1", {var, value},
          {{"_class", AttrValue::StringList{"loc:@var"}}});
  Add("second", "AssignRef", "/job:worker/task:9", {assign, value});
  ASSERT_TRUE(Place().ok()) << Place();
  EXPECT_EQ(DeviceOf("assign"), DeviceOf("var"));
  EXPECT_EQ(DeviceOf("second"), DeviceOf("var"));
  EXPECT_EQ(DeviceOf("value"), "/job:worker/replica:0/task:1/device:CPU:0");
}

TEST_F(PlaceTest, WhatFollowsTakesNoPartOfItsOwnRequest) {
  const NodeId var = Add("var", "RefVar", "/job:ps");
  const NodeId handle = Add("handle", "Handle", "/job:ps");
  const NodeId value = Add("value", "Source");
  Add("assign", "AssignRef", "/job:worker/task:1", {var, value});
  Add("read", "Read", "/job:worker/task:1", {handle});
  ASSERT_TRUE(Place().ok());
  EXPECT_EQ(DeviceOf("assign"), "/job:ps/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(DeviceOf("read"), "/job:ps/replica:0/task:0/device:CPU:0");
}

TEST_F(PlaceTest, AVariableWithoutARequestIsWithItsFirstUser) {
  const NodeId var = Add("var", "RefVar");
  const NodeId value = Add("value", "Source");
  Add("first", "AssignRef", "/job:ps/task:1", {var, value});
  Add("second", "AssignRef", "/job:worker/task:1", {var, value});
  ASSERT_TRUE(Place().ok());
  EXPECT_EQ(DeviceOf("var"), "/job:ps/replica:0/task:1/device:CPU:0");
  EXPECT_EQ(DeviceOf("second"), DeviceOf("var"));
}

TEST_F(PlaceTest, OnlyEdgesOverrideRequests) {
  const NodeId var = Add("var", "RefVar");
  const NodeId value = Add("value", "Source", "/job:worker/task:1", {},
                           {{"_class", AttrValue::StringList{"loc:@var"}}});
  Add("assign", "AssignRef", "/job:ps/task:0", {var, value});
  EXPECT_THAT(Place().ToString(),
              AllOf(HasSubstr("Cannot colocate nodes {{colocation_node value}} "
                              "and {{colocation_node assign}}"),
                    HasSubstr("var (RefVar) - assign (AssignRef): reference "),
                    HasSubstr("var (RefVar) - value (Source): attribute")));
}

TEST_F(PlaceTest, VariablesOfSeveralDevicesAreNotJoined) {
  const NodeId a = Add("a", "RefVar", "/job:ps/task:0");
  const NodeId b = Add("b", "RefVar", "/job:ps/task:1");
  Add("either", "EitherRef", "/job:worker/task:0", {a, b});
  const Status status = Place();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.ToString(),
              HasSubstr("Cannot place the graph because a reference or "
                        "resource edge connects colocation groups with "
                        "incompatible resource devices: /job:ps/task:1 vs "
                        "/job:ps/task:0."));
}

TEST_F(PlaceTest, WhatFollowsAPlacedVariableMayAskForAnything) {
  const NodeId var = Add("var", "RefVar", "/job:ps/task:1");
  ASSERT_TRUE(Place().ok());
  const NodeId value = Add("value", "Source");
  const NodeId assign =
      Add("assign", "AssignRef", "/job:worker/task:9", {var, value});
  Add("second", "AssignRef", "/job:nobody", {assign, value});
  ASSERT_TRUE(Place(value).ok());
  EXPECT_EQ(DeviceOf("second"), DeviceOf("var"));
}

TEST_F(PlaceTest, AGroupIsWhereAllOfItCanRun) {
  AddDevices(true);
  const NodeId a = Add("a", "Source");
  Add("b", "HostOnly", "", {a}, {{"_class", AttrValue::StringList{"loc:@a"}}});
  ASSERT_TRUE(Place().ok());
  EXPECT_EQ(DeviceOf("a"), "/job:worker/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(DeviceOf("b"), DeviceOf("a"));
}

TEST_F(PlaceTest, ColocationIsTransitive) {
  Add("a", "Source");
  Add("b", "Source", "", {}, {{"_class", AttrValue::StringList{"loc:@a"}}});
  Add("c", "Source", "/job:ps/task:1", {},
      {{"_class", AttrValue::StringList{"loc:@b"}}});
  ASSERT_TRUE(Place().ok());
  EXPECT_EQ(DeviceOf("a"), "/job:ps/replica:0/task:1/device:CPU:0");
}

TEST_F(PlaceTest, ContradictionsNameBothNodes) {
  Add("a", "Source", "/job:ps/task:0");
  Add("b", "Source", "/job:ps/task:1", {},
      {{"_class", AttrValue::StringList{"loc:@a"}}});
  const Status status = Place();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.ToString(), HasSubstr("Cannot colocate nodes"));
  EXPECT_THAT(status.ToString(), HasSubstr("{{colocation_node a}}"));
  EXPECT_THAT(status.ToString(), HasSubstr("{{colocation_node b}}"));
  EXPECT_EQ(DeviceOf("a"), "");  // nothing was placed
}

TEST_F(PlaceTest, UnknownNodesToBeWith) {
  Add("a", "Source", "", {}, {{"_class", AttrValue::StringList{"loc:@ghost"}}});
  const Status status = Place();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.ToString(), HasSubstr("unknown node 'ghost'"));
}

TEST_F(PlaceTest, UnknownDevices) {
  Add("n", "Source", "/job:ps/task:5");
  const Status status = Place();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.ToString(),
              HasSubstr("Cannot assign a device for operation n: {{node n}} "
                        "was explicitly assigned to /job:ps/task:5 but "
                        "available devices are ["));
  EXPECT_THAT(status.ToString(), Not(HasSubstr("allow_soft_placement")));
}

TEST_F(PlaceTest, UnknownDevicesOfATaskThatIsThere) {
  Add("n", "Source", "/gpu:0");
  EXPECT_THAT(Place().ToString(),
              AllOf(HasSubstr("With allow_soft_placement in the session's"),
                    Not(HasSubstr("The nearest one is ."))));
}

TEST_F(PlaceTest, MalformedDevices) {
  Add("n", "Source", "/jobs:ps");
  const Status status = Place();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.ToString(), HasSubstr("Malformed device specification"));
}

TEST_F(PlaceTest, SoftPlacementStaysInTheTask) {
  Add("n", "Source", "/job:worker/task:1/gpu:0");
  EXPECT_EQ(Place().code(), StatusCode::kInvalidArgument);
  options_.allow_soft_placement = true;
  ASSERT_TRUE(Place().ok());
  EXPECT_EQ(DeviceOf("n"), "/job:worker/replica:0/task:1/device:CPU:0");
}

TEST_F(PlaceTest, SoftPlacementDoesNotInventTasks) {
  options_.allow_soft_placement = true;
  Add("n", "Source", "/job:nobody/task:1");
  EXPECT_EQ(Place().code(), StatusCode::kInvalidArgument);
}

TEST_F(PlaceTest, MissingKernelsAreListed) {
  AddDevices(true);
  Add("n", "GpuOnly", "/cpu:0");
  const Status status = Place();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.ToString(), HasSubstr("no supported kernel for CPU"));
  EXPECT_THAT(status.ToString(), HasSubstr("device='GPU'"));
}

TEST_F(PlaceTest, NoKernelAtAll) {
  Add("n", "Nowhere");
  const Status status = Place();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.ToString(),
              HasSubstr("No OpKernel was registered to support Op 'Nowhere'"));
}

TEST_F(PlaceTest, WhatIsPlacedStaysWhenTheGraphGrows) {
  const NodeId var = Add("var", "RefVar", "/job:ps/task:1");
  ASSERT_TRUE(Place().ok());
  const NodeId value = Add("value", "Source");
  const NodeId assign = Add("assign", "AssignRef", "", {var, value});
  ASSERT_TRUE(Place(value).ok());
  EXPECT_EQ(graph_.node(assign)->assigned_device, DeviceOf("var"));
  EXPECT_EQ(DeviceOf("var"), "/job:ps/replica:0/task:1/device:CPU:0");
}

TEST_F(PlaceTest, TheLogHasALineForEachNode) {
  std::vector<std::string> lines;
  absl::AnyInvocable<void(const std::string&)> log =
      [&](const std::string& line) { lines.push_back(line); };
  options_.log = &log;
  Add("n", "Source");
  ASSERT_TRUE(Place().ok());
  EXPECT_THAT(
      lines,
      ElementsAre("n: (Source): /job:worker/replica:0/task:0/device:CPU:0"));
}

}  // namespace
}  // namespace millrace
