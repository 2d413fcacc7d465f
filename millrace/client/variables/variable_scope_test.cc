#include "millrace/client/variables/variable_scope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/client/ops.h"

namespace millrace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> Names(const Scope& s) {
  std::vector<std::string> names;
  for (const ops::Variable& v : ops::GlobalVariables(s)) {
    names.push_back(v.op_name());
  }
  return names;
}

TEST(VariableScope, NamesAndReuse) {
  const Scope s = Scope::NewRoot();
  const VariableScope root(s.SubScope("tower"));
  const VariableScope inner = root.Sub("a").Sub("b");
  EXPECT_EQ(inner.name(), "a/b");
  EXPECT_EQ(inner.scope().name(), "tower/a/b/");
  const ops::Variable w = inner.GetVariable("w", TensorShape({2}));
  ASSERT_TRUE(w) << s.status();
  EXPECT_EQ(w.op_name(), "a/b/w");
  // Another scope of the same graph finds it.
  const ops::Variable again = VariableScope(s)
                                  .WithReuse(Reuse::kYes)
                                  .Sub("a")
                                  .Sub("b")
                                  .GetVariable("w", TensorShape({2}));
  EXPECT_EQ(again, w);
  EXPECT_EQ(root.WithReuse(Reuse::kAuto)
                .Sub("a")
                .GetVariable("b/w", TensorShape({2})),
            w);
  EXPECT_TRUE(root.WithReuse(Reuse::kAuto).GetVariable("v", TensorShape({1})));
  EXPECT_THAT(Names(s), ElementsAre("a/b/w", "v"));
}

TEST(VariableScope, WhatIsRefused) {
  const auto error = [](auto build) {
    const Scope s = Scope::NewRoot();
    VariableScope(s).GetVariable("w", TensorShape({2}));
    build(VariableScope(s));
    return std::string(s.status().message());
  };
  EXPECT_THAT(error([](const VariableScope& v) {
                v.GetVariable("w", TensorShape({2}));
              }),
              HasSubstr("Variable w already exists"));
  EXPECT_THAT(error([](const VariableScope& v) {
                v.WithReuse(Reuse::kYes).GetVariable("x", TensorShape({2}));
              }),
              HasSubstr("Variable x does not exist"));
  EXPECT_THAT(error([](const VariableScope& v) {
                v.WithReuse(Reuse::kYes).GetVariable("w", TensorShape({3}));
              }),
              HasSubstr("specified shape [3] and found shape [2]"));
  EXPECT_THAT(error([](const VariableScope& v) {
                v.WithReuse(Reuse::kYes)
                    .GetVariable("w", TensorShape({2}),
                                 {.dtype = DataType::kDouble});
              }),
              HasSubstr("specified dtype double"));
}

TEST(VariableScope, UniqueBlocksBeginAgain) {
  const Scope s = Scope::NewRoot();
  const VariableScope root(s);
  EXPECT_EQ(root.UniqueSub("dense").name(), "dense");
  EXPECT_EQ(root.UniqueSub("dense").name(), "dense_1");
  const VariableScope model = root.Sub("model");
  EXPECT_EQ(model.UniqueSub("dense").name(), "model/dense");
  EXPECT_EQ(model.UniqueSub("dense").name(), "model/dense_1");
  const VariableScope same = root.Sub("model");
  EXPECT_EQ(same.UniqueSub("dense").name(), "model/dense");
  EXPECT_EQ(same.scope().name(), "model_1/");
}

TEST(VariableScope, DefaultsAreInherited) {
  const Scope s = Scope::NewRoot();
  const VariableScope v =
      VariableScope(s)
          .WithInitializer(Ones())
          .WithResources()
          .WithPartitioner(FixedSizePartitioner(2))
          .WithRegularizer([](const Scope& scope, const Output& x) {
            return ops::L2Loss(scope, x);
          })
          .Sub("a");
  const ops::Variable w = v.GetVariable("w", TensorShape({2}));
  ASSERT_TRUE(w) << s.status();
  EXPECT_TRUE(w.is_resource());
  EXPECT_EQ(w.initial_value().op().type(), "Fill");
  const ops::PartitionedVariable p = v.GetPartitioned("p", TensorShape({4, 2}));
  EXPECT_EQ(p.parts().size(), 2u);
  EXPECT_EQ(
      v.WithReuse(Reuse::kYes).GetPartitioned("p", TensorShape({4, 2})).parts(),
      p.parts());
  EXPECT_EQ(v.GetValue("q", TensorShape({3})).op().type(), "ConcatV2");
  EXPECT_EQ(
      s.graph().Collection<Output>(graph_keys::kRegularizationLosses).size(),
      5u);
  EXPECT_THAT(Names(s), ElementsAre("a/w", "a/p/part_0", "a/p/part_1",
                                    "a/q/part_0", "a/q/part_1"));
  EXPECT_FALSE(v.GetVariable("local", TensorShape(),
                             {.trainable = false,
                              .collections = {graph_keys::kLocalVariables}})
                   .trainable());
  EXPECT_EQ(ops::LocalVariables(s).size(), 1u);
}

}  // namespace
}  // namespace millrace
