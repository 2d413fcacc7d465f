#include "tools/opgen/python_wrapper.h"

#include <gtest/gtest.h>

#include "millrace/graph/all_ops.h"

namespace millrace::opgen {
namespace {

TEST(PythonWrapper, Names) {
  const std::pair<const char*, const char*> names[] = {
      {"MatMul", "mat_mul"},
      {"AddV2", "add_v2"},
      {"LRN", "lrn"},
      {"BiasAddV1", "bias_add_v1"},
      {"Conv2DBackpropInput", "conv2d_backprop_input"},
      {"ResourceApplyAdam", "resource_apply_adam"},
      {"FIFOQueueV2", "fifo_queue_v2"},
      {"Print", "_print"},
      {"Assert", "_assert"},
      {"Where", "where"}};
  for (const auto& [op, name] : names) EXPECT_EQ(PythonName(op), name);
}

TEST(PythonWrapper, ParametersWithoutDefaultComeFirst) {
  const OpFields fields = {
      .inputs = "x: T, lambda: N * int32",
      .outputs = "y: T",
      .attrs =
          "T: type; N: int >= 1; keep: bool = false; axis: int; "
          "pad: {'SAME', 'VALID'} = 'SAME'; rate: float = 0.1; "
          "kind: type = float; sizes: list(int) = [1, 2]"};
  const auto op = ParseOpDecl(OpDecl{"Scale", fields});
  ASSERT_TRUE(op.ok()) << op.status();
  EXPECT_EQ(PythonParameters(*op),
            "x, lambda_, axis, keep=False, pad=\"SAME\", rate=0.1, "
            "kind=_dtypes.float32, sizes=[1, 2], name=None");
  EXPECT_EQ(PythonWrapper(*op),
            "\n\ndef scale(" + PythonParameters(*op) +
                "):\n  return _apply(\"Scale\", name, (x, lambda_), (axis, "
                "keep, pad, rate, kind, sizes))\n");
}

TEST(PythonWrapper, EveryOpHasOne) {
  const auto ops = OpRegistry::Build(AllOps());
  ASSERT_TRUE(ops.ok()) << ops.status();
  const auto package = PythonPackage(**ops);
  EXPECT_TRUE(package.contains("__init__.py"));
  EXPECT_TRUE(package.contains("__init__.pyi"));
  EXPECT_NE(package.at("ops_m.py").find("def mat_mul(a, b, transpose_a=False"),
            std::string::npos);
  EXPECT_NE(package.at("index.py").find("\"mat_mul\": \"MatMul\""),
            std::string::npos);
}

}  // namespace
}  // namespace millrace::opgen
