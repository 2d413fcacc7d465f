// Tests what the reader of saved states refuses: states come from anywhere.
#include "millrace/ops/data/iterator_state.h"

#include <gtest/gtest.h>

#include <limits>

#include "millrace/device/devices.h"
#include "millrace/kernel/device_retirement.h"
#include "millrace/ops/data/dataset.h"
#include "millrace/ops/data/iterator_runtime.h"
#include "millrace/tensor/variant/optional_value.h"

namespace millrace::ops {
namespace {

constexpr auto kInvalid = StatusCode::kInvalidArgument;

class IteratorStateTest : public ::testing::Test {
 protected:
  IteratorStateTest() : retirement_(devices_) {
    devices_ = MakeDevices({}, "localhost", 0).value();
    KernelContext ctx(node_, *devices_[0], environment_, {}, {});
    runtime_ = IteratorRuntime::Make(ctx);
  }

  StateReader ReaderOf(StateWriter writer) {
    const StatusOr<VariantElement> state = writer.Take();
    EXPECT_TRUE(state.ok()) << state.status();
    return StateReader(
        Ref<const IteratorStateValue>::Share(
            static_cast<const IteratorStateValue*>(state->get())),
        *runtime_);
  }

  std::vector<std::unique_ptr<Device>> devices_;
  const DeviceRetirement retirement_;
  NodeInfo node_;
  StepEnvironment environment_;
  std::shared_ptr<IteratorRuntime> runtime_;
};

TEST_F(IteratorStateTest, NumbersOutsideTheirRangeAreRefused) {
  StateWriter writer;
  writer.Int("minus", -1);
  writer.Int("two", 2);
  writer.Int("huge", std::numeric_limits<int64_t>::max());
  writer.Value("text", Tensor::Scalar<std::string>("2"));
  writer.Value("list", Tensor::Vector<int64_t>({2}));
  const StateReader in = ReaderOf(std::move(writer));
  EXPECT_EQ(*in.Number("minus"), -1);
  EXPECT_EQ(*in.Count("two"), 2);
  EXPECT_EQ(*in.Count("two", 2), 2);
  EXPECT_EQ(in.Count("two", 1).status().code(), kInvalid);
  EXPECT_EQ(in.Count("minus").status().code(), kInvalid);
  EXPECT_EQ(in.Count("huge").status().code(), kInvalid);
  EXPECT_EQ(in.Flag("two").status().code(), kInvalid);
  EXPECT_EQ(in.Number("text").status().code(), kInvalid);
  EXPECT_EQ(in.Number("list").status().code(), kInvalid);
  EXPECT_EQ(in.Number("none").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(in.Flag("minus").status(),
            InvalidArgument("the saved state of the iterator has -1 instead of "
                            "a number from 0 to 1 as minus"));
}

TEST_F(IteratorStateTest, SizesAreAtMostTheKeys) {
  StateWriter writer;
  writer.Int("three", 3);
  writer.Int("two", 2);
  const StateReader in = ReaderOf(std::move(writer));
  EXPECT_EQ(*in.Size("two"), 2);
  EXPECT_EQ(in.Size("two", 1).status().code(), kInvalid);
  EXPECT_EQ(in.Size("three").status().code(), kInvalid);
}

TEST_F(IteratorStateTest, KeysAreChargedWhileTheyAreWritten) {
  MemoryBudget& budget = MemoryBudget::Process();
  const int64_t limit = budget.limit();
  budget.set_limit(budget.used() + 1'000'000);
  StateWriter writer;
  for (int i = 0; i < 20'000; ++i) writer.Int(absl::StrCat("key", i), i);
  const Status status = writer.Take().status();
  budget.set_limit(limit);
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status;
}

TEST_F(IteratorStateTest, ElementsHaveTheirTypes) {
  StateWriter writer;
  writer.Element("e", {Tensor::Scalar<float>(1), Tensor::Vector({"a"})});
  const StateReader in = ReaderOf(std::move(writer));
  const std::vector<DataType> types{DataType::kFloat, DataType::kString};
  ASSERT_TRUE(in.Element("e", types).ok());
  EXPECT_EQ((*in.Element("e", types)).size(), 2u);
  EXPECT_EQ(in.Element("e", {DataType::kInt32}).status().code(), kInvalid);
  EXPECT_EQ(in.Element("e", {types[0], types[1], types[1]}).status().code(),
            StatusCode::kNotFound);
  EXPECT_TRUE(in.Value("e/1", DataType::kString, 1).ok());
  EXPECT_EQ(in.Value("e/1", DataType::kString, 0).status().code(), kInvalid);
  EXPECT_EQ(in.Value("e/1", DataType::kFloat, 1).status().code(), kInvalid);
}

TEST_F(IteratorStateTest, AnErrorTakesThePlaceOfAnElement) {
  StateWriter writer;
  writer.Result("good", OkStatus(), {Tensor::Scalar<float>(1)});
  writer.Result("bad", NotFound("no file"), {});
  writer.Int("wrong:code", 17);
  const StateReader in = ReaderOf(std::move(writer));
  Status status;
  Element element;
  ASSERT_TRUE(in.Result("bad", {DataType::kFloat}, &status, &element).ok());
  EXPECT_EQ(status, NotFound("no file"));
  EXPECT_TRUE(element.empty());
  ASSERT_TRUE(in.Result("good", {DataType::kFloat}, &status, &element).ok());
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(element.size(), 1u);
  EXPECT_EQ(in.Result("wrong", {DataType::kFloat}, &status, &element).code(),
            kInvalid);
}

Tensor OptionalOf(Tensor inside) {
  std::vector<Tensor> parts;
  parts.push_back(std::move(inside));
  return Tensor::Scalar<VariantElement>(*OptionalValue::Make(std::move(parts)));
}

TEST_F(IteratorStateTest, VariantsAreSavedUnlessTheyContainOthers) {
  const Tensor one = OptionalOf(Tensor::Scalar<float>(1));
  StateWriter good;
  good.Element("e", {one});
  EXPECT_TRUE(
      ReaderOf(std::move(good)).Element("e", {DataType::kVariant}).ok());
  StateWriter nested;
  nested.Element("e", {OptionalOf(one)});
  EXPECT_EQ(nested.Take().status().code(), StatusCode::kUnimplemented);
}

TEST_F(IteratorStateTest, APartIsCopiedUnderAnotherPrefix) {
  StateWriter writer;
  writer.Int("a", 1);
  writer.Int("a:x", 2);
  writer.Int("a:y", 3);
  writer.Int("b", 4);
  const StateReader in = ReaderOf(std::move(writer));
  StateWriter copy;
  copy.Copy(*in.state(), "a:", "new:");
  const StateReader out = ReaderOf(std::move(copy));
  EXPECT_EQ(out.state()->keys(), (std::vector<std::string>{"new:x", "new:y"}));
  EXPECT_EQ(*out.Number("new:y"), 3);
}

}  // namespace
}  // namespace millrace::ops
