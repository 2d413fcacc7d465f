#include "millrace/kernel/kernel_decl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Status Nothing(KernelContext&) { return OkStatus(); }

constexpr KernelDecl kAdd =
    internal::KernelName{"Add", "CPU"} |
    KernelEntries{{.types = "T: float", .make = MakeFunctionKernel<Nothing>},
                  {.types = "T: double, int32; Tidx: int64",
                   .make = MakeFunctionKernel<Nothing>,
                   .host = "axis, shape"}};
constexpr KernelDecl kAny =
    internal::KernelName{"Any", "CPU"} |
    KernelEntries{{.make = MakeFunctionKernel<Nothing>, .cheap = true}};
constexpr KernelDecl kList =
    internal::KernelName{"List", "GPU"} |
    KernelEntries{
        {.types = "Tin: realnumbertype", .make = MakeFunctionKernel<Nothing>}};
constexpr const KernelDecl* kDecls[] = {&kAdd, &kAny, &kList};

MR_KERNELS(OnBoth, Cpu){{.make = MakeFunctionKernel<Nothing>}};
MR_KERNELS(OnBoth,
           Gpu){{.types = "T: float", .make = MakeFunctionKernel<Nothing>}};

OpDef Op(const char* name) {
  OpDef op;
  op.name = name;
  return op;
}

KernelTable Table() { return *KernelTable::Build(kDecls); }

TEST(KernelTable, FirstEntryThatFits) {
  const KernelTable table = Table();
  EXPECT_EQ(*table.Find("CPU", Op("Add"), {{"T", DataType::kFloat}}),
            &kAdd.list.entries[0]);
  EXPECT_EQ(*table.Find("CPU", Op("Add"),
                        {{"T", DataType::kInt32}, {"Tidx", DataType::kInt64}}),
            &kAdd.list.entries[1]);
  EXPECT_FALSE(table.Has(
      "CPU", Op("Add"), {{"T", DataType::kInt32}, {"Tidx", DataType::kInt32}}));
  EXPECT_FALSE(table.Has("CPU", Op("Add"), {}));
  EXPECT_TRUE(table.Has("CPU", Op("Any"), {{"T", DataType::kVariant}}));
  EXPECT_TRUE(table.HasOp("GPU", "List"));
  EXPECT_FALSE(table.HasOp("GPU", "Add"));
}

TEST(KernelTable, EveryTypeOfAListCounts) {
  const KernelTable table = Table();
  EXPECT_TRUE(table.Has(
      "GPU", Op("List"),
      {{"Tin", AttrValue::TypeList{DataType::kHalf, DataType::kUint64}}}));
  EXPECT_FALSE(table.Has(
      "GPU", Op("List"),
      {{"Tin", AttrValue::TypeList{DataType::kHalf, DataType::kComplex64}}}));
}

TEST(KernelTable, RowsSayTypesAndHostArguments) {
  const KernelTable table = Table();
  const auto rows = table.Rows("CPU", "Add");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_THAT(*rows[1].Types("T"),
              ElementsAre(DataType::kDouble, DataType::kInt32));
  EXPECT_EQ(rows[0].Types("Tidx"), nullptr);
  EXPECT_TRUE(rows[1].IsHost("shape", DataType::kInt32));
  EXPECT_FALSE(rows[1].IsHost("sha", DataType::kInt32));
  EXPECT_TRUE(table.Rows("CPU", "None").empty());
}

TEST(KernelTable, ErrorSaysWhatThereIs) {
  const KernelTable table = Table();
  const Status s =
      table.Find("CPU", Op("Add"), {{"T", DataType::kString}}).status();
  EXPECT_EQ(s.code(), StatusCode::kNotFound);
  EXPECT_THAT(
      std::string(s.message()),
      HasSubstr(
          "No OpKernel was registered to support Op 'Add' with these attrs: "
          "[T=DT_STRING]\nRegistered devices: [CPU]\nRegistered kernels:\n"
          "  device='CPU'; T in [DT_FLOAT]\n"
          "  device='CPU'; T in [DT_DOUBLE, DT_INT32]; Tidx in [DT_INT64]\n"));
  EXPECT_THAT(
      std::string(table.NoKernel("Foo", "a/b", {}, {"CPU", "GPU"}).message()),
      HasSubstr("Op 'Foo' used by {{node a/b}} with these attrs: []\n"
                "Registered devices: [CPU, GPU]\nRegistered kernels:\n"
                "  <no registered kernels>\n"));
}

TEST(KernelTable, DeclarationsCarryTheirDevice) {
  const KernelDecl* both[] = {&mr_kernels_OnBoth_Cpu, &mr_kernels_OnBoth_Gpu};
  const KernelTable table = *KernelTable::Build(both);
  const AttrMap with_float = {{"T", DataType::kFloat}};
  EXPECT_EQ(*table.Find("CPU", Op("OnBoth"), with_float),
            &mr_kernels_OnBoth_Cpu.list.entries[0]);
  EXPECT_EQ(*table.Find("GPU", Op("OnBoth"), with_float),
            &mr_kernels_OnBoth_Gpu.list.entries[0]);
  const Status s =
      table.Find("GPU", Op("OnBoth"), {{"T", DataType::kHalf}}).status();
  EXPECT_EQ(s.code(), StatusCode::kNotFound);
  EXPECT_THAT(std::string(s.message()),
              HasSubstr("Registered devices: [GPU]\nRegistered kernels:\n"
                        "  device='CPU'\n  device='GPU'; T in [DT_FLOAT]\n"));
}

TEST(KernelTable, MistakesInDeclarations) {
  constexpr KernelDecl kBad =
      internal::KernelName{"Bad", "CPU"} |
      KernelEntries{{.types = "T: flaot", .make = MakeFunctionKernel<Nothing>}};
  const KernelDecl* bad[] = {&kBad};
  EXPECT_THAT(std::string(KernelTable::Build(bad).status().message()),
              HasSubstr("flaot"));
  const KernelDecl* twice[] = {&kAdd, &kAdd};
  EXPECT_THAT(std::string(KernelTable::Build(twice).status().message()),
              HasSubstr("twice"));
  const KernelDecl* twice_for_gpus[] = {
      &mr_kernels_OnBoth_Cpu, &mr_kernels_OnBoth_Gpu, &mr_kernels_OnBoth_Gpu};
  EXPECT_THAT(
      std::string(KernelTable::Build(twice_for_gpus).status().message()),
      HasSubstr("kernels of OnBoth for GPU are declared twice"));
}

}  // namespace
}  // namespace millrace
