#include "millrace/kernel/variable_view.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

namespace millrace {
namespace {

Tensor Numbers(int64_t rows, int64_t columns, float first) {
  Tensor t = Tensor::New(DataType::kFloat, {rows, columns});
  auto values = t.mutable_flat<float>();
  std::iota(values.begin(), values.end(), first);
  return t;
}

Ref<Variable> MakeVariable(Tensor value) {
  auto v = MakeRef<Variable>(value.dtype(), "v");
  v->Assign(std::move(value));
  return v;
}

float FirstOf(const Tensor& view) {
  return BoundTensor(view, nullptr)->flat<float>()[0];
}

void UpdateRow(Variable& v, int64_t row, float value) {
  Variable* pointer = &v;
  const auto rows =
      VariableRows::Make({&pointer, 1}, VariableRows::kUpdate, HostAllocator());
  ASSERT_TRUE(rows.ok());
  const auto lock = rows->Lock(row);
  const int64_t n = rows->value(0).shape().NumElements(1, 2);
  std::fill_n(rows->mutable_elements<float>(0) + row * n, n, value);
}

TEST(VariableView, OfNothingIsAnError) {
  const StatusOr<Tensor> view =
      MakeView(MakeRef<Variable>(DataType::kFloat, "v"));
  EXPECT_EQ(view.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(view.status().message(), "Attempting to use uninitialized value v");
}

TEST(VariableView, SeesWhatIsAssignedAfterIt) {
  const Ref<Variable> v = MakeVariable(Numbers(4, 16, 0));
  const Tensor view = *MakeView(v);
  EXPECT_TRUE(view.is_view());
  EXPECT_EQ(view.shape().DebugString(), "[4,16]");
  const Tensor before = *BoundTensor(view, nullptr);
  v->Assign(Numbers(4, 16, 100));
  EXPECT_EQ(FirstOf(view), 100);
  EXPECT_EQ(before.flat<float>()[0], 0);  // the bound elements stay
}

TEST(VariableView, KeepsItsShapeThroughAnAssignmentOfAsManyElements) {
  const Ref<Variable> v = MakeVariable(Numbers(4, 16, 0));
  const Tensor view = *MakeView(v);
  v->Assign(Numbers(16, 4, 100));
  const Tensor bound = *BoundTensor(view, nullptr);
  EXPECT_EQ(bound.shape().DebugString(), "[4,16]");
  EXPECT_EQ(bound.flat<float>()[0], 100);
}

TEST(VariableView, KeepsTheLastContentOfACellThatIsLeft) {
  const Ref<Variable> v = MakeVariable(Numbers(4, 16, 0));
  const Tensor view = *MakeView(v);
  v->Assign(Numbers(4, 16, 7));
  v->Assign(Numbers(2, 16, 100));
  EXPECT_EQ(FirstOf(view), 7);
  v->Assign(Numbers(4, 16, 200));  // another cell, though as many elements
  EXPECT_EQ(FirstOf(view), 7);
  v->Clear();
  EXPECT_EQ(FirstOf(view), 7);
}

TEST(VariableView, PartsKeepTheirPlace) {
  const Ref<Variable> v = MakeVariable(Numbers(4, 16, 0));
  const Tensor view = *MakeView(v);
  const Tensor part = view.Rows(1, 3).Reshaped({2, 4, 4}).Rows(1, 2);
  EXPECT_TRUE(part.is_view());
  EXPECT_EQ(FirstOf(part), 32);
  v->Assign(Numbers(4, 16, 100));
  EXPECT_EQ(FirstOf(part), 132);
  EXPECT_EQ(BoundTensor(part, nullptr)->shape().DebugString(), "[1,4,4]");
}

TEST(VariableView, SmallValuesAndStrings) {
  const Ref<Variable> count = MakeVariable(Tensor::Scalar<float>(1));
  const Tensor view = *MakeView(count);
  count->Assign(Tensor::Scalar<float>(2));
  EXPECT_EQ(FirstOf(view), 2);

  const Ref<Variable> text = MakeVariable(Tensor::Vector<std::string>({"a"}));
  const Tensor texts = *MakeView(text);
  text->Assign(Tensor::Vector<std::string>({"b"}));
  EXPECT_EQ(BoundTensor(texts, nullptr)->flat<StringElement>()[0].view(), "b");
}

TEST(VariableView, BytesOfAnotherType) {
  const Ref<Variable> v = MakeVariable(Numbers(4, 16, 1));
  UpdateRow(*v, 0, 1.0f);  // copied by rows from now on
  const Tensor bytes =
      MakeView(v)->BitcastTo(DataType::kUint8, {4, 16, 4}).Rows(0, 1);
  const Tensor bound = *BoundTensor(bytes, nullptr);
  EXPECT_EQ(bound.flat<uint8_t>()[3], 0x3f);
}

TEST(VariableView, RowsThatAreUpdatedInPlaceAreNotShared) {
  const Ref<Variable> v = MakeVariable(Numbers(100, 16, 0));
  UpdateRow(*v, 3, -1);
  const Tensor view = *MakeView(v);
  const Tensor bound = *BoundTensor(view, nullptr);
  UpdateRow(*v, 3, -2);
  EXPECT_EQ(bound.flat<float>()[3 * 16], -1);
  EXPECT_EQ(BoundTensor(view, nullptr)->flat<float>()[3 * 16], -2);
}

TEST(SharedElements, LookupsLeaveTheTableToItsUpdates) {
  const Ref<Variable> v = MakeVariable(Numbers(100, 16, 0));
  UpdateRow(*v, 0, 0);
  const Tensor view = *MakeView(v);
  const char* const place = v->value_locked().data();
  const SharedElements elements(view);
  EXPECT_EQ(elements.data(), place);
  EXPECT_TRUE(elements.needs_copy());
  UpdateRow(*v, 5, -5);
  EXPECT_EQ(v->value_locked().data(), place);  // not copied
  float row[16];
  elements.Copy(5 * 16, 16, row);
  EXPECT_EQ(row[15], -5);
}

TEST(SharedElements, OfACellThatWasLeft) {
  const Ref<Variable> v = MakeVariable(Numbers(4, 16, 0));
  const Tensor view = v->Shape().ok() ? *MakeView(v) : Tensor();
  v->Assign(Numbers(1, 16, 100));
  const SharedElements elements(view.Rows(2, 3));
  EXPECT_FALSE(elements.needs_copy());
  EXPECT_EQ(reinterpret_cast<const float*>(elements.data())[0], 32);
}

// Copies a slice over several rows, and rows under another shape.
TEST(SharedElements, CopiesAcrossRows) {
  const Ref<Variable> v = MakeVariable(Numbers(10, 3, 0));
  UpdateRow(*v, 0, 0);
  const Tensor view = MakeView(v)->Reshaped({3, 10}).Rows(1, 3);
  const SharedElements elements(view);
  std::vector<float> out(12);
  elements.Copy(4, 12, out.data());
  for (int i = 0; i < 12; ++i) EXPECT_EQ(out[i], 14 + i);
}

}  // namespace
}  // namespace millrace
