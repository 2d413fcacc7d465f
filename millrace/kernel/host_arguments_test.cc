#include "millrace/kernel/host_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace {
namespace {

using ::testing::ElementsAre;

Status RunsNowhere(KernelContext&) { return OkStatus(); }

constexpr KernelDecl kMoveCpu =
    internal::KernelName{"Move", "CPU"} |
    KernelEntries{{.make = MakeFunctionKernel<RunsNowhere>, .cheap = true}};
constexpr KernelDecl kMoveGpu =
    internal::KernelName{"Move", "GPU"} |
    KernelEntries{
        {.types = "T: int32", .make = OnHost, .host = "*"},
        {.types = "T: float, string", .make = OnHost, .host = "shape, int32"},
        {.types = "T: double",
         .make = MakeFunctionKernel<RunsNowhere>,
         .host = "shape"}};
constexpr KernelDecl kPrintCpu =
    internal::KernelName{"Print", "CPU"} |
    KernelEntries{{.make = MakeFunctionKernel<RunsNowhere>}};
constexpr const KernelDecl* kMoveDecls[] = {&kMoveCpu, &kMoveGpu, &kPrintCpu};

OpDef MoveOp(const char* name) {
  OpDef op;
  op.name = name;
  ArgDef x, shape, y;
  x.name = "x";
  x.type_attr = "T";
  shape.name = "shape";
  shape.type = DataType::kInt64;
  y.name = "y";
  y.type_attr = "T";
  op.inputs = {x, shape};
  op.outputs = {y};
  return op;
}

StatusOr<PlacedKernel> FindMove(const char* op, DataType type) {
  static const KernelTable* const table =
      new KernelTable(KernelTable::Build(kMoveDecls).value());
  return FindPlacedKernel(*table, "GPU", MoveOp(op), {{"T", type}},
                          {type, DataType::kInt64}, {type});
}

TEST(HostArguments, AreNamedByTheEntry) {
  const auto floats = FindMove("Move", DataType::kFloat);
  ASSERT_TRUE(floats.ok()) << floats.status();
  EXPECT_THAT(floats->host.inputs, ElementsAre(false, true));
  EXPECT_THAT(floats->host.outputs, ElementsAre(false));
  EXPECT_EQ(floats->entry, &kMoveCpu.list.entries[0]);
  EXPECT_FALSE(floats->host.all);
  EXPECT_TRUE(floats->host.all_int32);
  const auto own = FindMove("Move", DataType::kDouble);
  ASSERT_TRUE(own.ok()) << own.status();
  EXPECT_EQ(own->entry, &kMoveGpu.list.entries[2]);
  EXPECT_FALSE(own->host.all_int32);
}

TEST(HostArguments, AreAllWhereTheTypeOrTheEntrySaysSo) {
  for (const DataType type : {DataType::kInt32, DataType::kString}) {
    const auto found = FindMove("Move", type);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_TRUE(found->host.all);
  }
}

TEST(HostArguments, OfANodeWithoutAKernelLieOnTheHost) {
  const auto found = FindMove("Print", DataType::kFloat);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_TRUE(found->host.all);
  EXPECT_EQ(found->entry, &kPrintCpu.list.entries[0]);
  EXPECT_EQ(FindMove("Print", DataType::kResource).status().code(),
            StatusCode::kNotFound);
  EXPECT_EQ(FindMove("None", DataType::kFloat).status().code(),
            StatusCode::kNotFound);
}

}  // namespace
}  // namespace millrace
