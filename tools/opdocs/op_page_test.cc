#include "tools/opdocs/op_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::opdocs {
namespace {

using testing::HasSubstr;

TEST(OpPage, ShowsSignatureAttributesAndKernels) {
  auto op = ParseOpDecl(OpDecl{
      "Scale",
      {.inputs = "x: N * T, by: Ref(float)",
       .outputs = "y: T",
       .attrs = "T: {float, double}; N: int >= 1; mode: {'a', 'b'} = 'a'",
       .flags = kStateful,
       .doc = "Scales x < 2 by `a_b`, a_b."}});
  ASSERT_TRUE(op.ok()) << op.status();
  EXPECT_EQ(SignatureText(*op), "Scale(x: N * T, by: Ref(float)) -> (y: T)");
  const KernelDecl kernel = {
      "Scale",
      "CPU",
      {{.types = "T: float",
        .make = [](const KernelInit&) -> StatusOr<std::unique_ptr<Kernel>> {
          return nullptr;
        }}}};
  const KernelDecl* const table[] = {&kernel};
  auto kernels = KernelTable::Build(table);
  ASSERT_TRUE(kernels.ok()) << kernels.status();
  const std::string page = FamilyPage("math", {{&*op, true, false}}, *kernels);
  EXPECT_THAT(page,
              HasSubstr("## Scale\n\nScales x &lt; 2 by `a_b`, a\\_b.\n"));
  EXPECT_THAT(page, HasSubstr("| N | int &gt;= 1 |  |"));
  EXPECT_THAT(page, HasSubstr("| T | type in {double, float} |  |"));
  EXPECT_THAT(page, HasSubstr("| mode | string in {a, b} | "));
  EXPECT_THAT(page, HasSubstr("- CPU: T in {float}\n"));
  EXPECT_THAT(page, HasSubstr("- Gradient: yes.\n- Stateful.\n"));
}

}  // namespace
}  // namespace millrace::opdocs
