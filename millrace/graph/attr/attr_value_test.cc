#include "millrace/graph/attr/attr_value.h"

#include <gtest/gtest.h>

#include <limits>

namespace millrace {
namespace {

TEST(AttrMap, IsSortedAndReplaces) {
  AttrMap m = {{"b", 1}, {"a", "x"}};
  m.Set("b", 2);
  m.Set("ab", true);
  ASSERT_EQ(m.size(), 3u);
  EXPECT_EQ(m.begin()->first, "a");
  EXPECT_EQ((m.begin() + 1)->first, "ab");
  EXPECT_EQ(*m.Find("b")->get<int64_t>(), 2);
  EXPECT_EQ(m.Find("c"), nullptr);
  EXPECT_TRUE(m.Erase("ab"));
  EXPECT_FALSE(m.Erase("ab"));
  for (int i = 0; i < 20; ++i)
    m.Set(std::string(1, static_cast<char>('c' + i)), i);
  for (int i = 0; i < 20; ++i) {
    ASSERT_NE(m.Find(std::string(1, static_cast<char>('c' + i))), nullptr);
  }
  EXPECT_EQ(m.Find("zz"), nullptr);
}

TEST(AttrMap, CopiesShareUntilOneChanges) {
  AttrMap a = {{"T", DataType::kFloat}};
  AttrMap b = a;
  EXPECT_EQ(a.identity(), b.identity());
  EXPECT_TRUE(a.IsShared());
  b.Set("T", DataType::kInt32);
  EXPECT_NE(a.identity(), b.identity());
  EXPECT_EQ(*a.Find("T")->get<DataType>(), DataType::kFloat);
  EXPECT_FALSE(a == b);
  b.Set("T", DataType::kFloat);
  EXPECT_TRUE(a == b);
  AttrMap none;
  EXPECT_FALSE(none.Erase("x"));
  EXPECT_EQ(none.identity(), nullptr);
}

TEST(GetAttr, ConvertsAndComplains) {
  const AttrMap m = {{"i", int64_t{5'000'000'000}},
                     {"n", 3},
                     {"f", 1.5},
                     {"s", "text"},
                     {"shape", PartialShape({2, -1})},
                     {"full", TensorShape({2, 3})},
                     {"ints", AttrValue::IntList{1, 2}},
                     {"none", AttrValue::EmptyList()},
                     {"t", Tensor::Scalar(7)}};
  EXPECT_EQ(*GetAttr<int64_t>(m, "i"), 5'000'000'000);
  EXPECT_EQ(*GetAttr<int>(m, "n"), 3);
  EXPECT_EQ(GetAttr<int>(m, "i").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(*GetAttr<float>(m, "f"), 1.5f);
  EXPECT_EQ(*GetAttr<std::string>(m, "s"), "text");
  EXPECT_EQ(GetAttr<PartialShape>(m, "shape")->DebugString(), "[2,?]");
  EXPECT_FALSE(GetAttr<TensorShape>(m, "shape").ok());
  EXPECT_EQ(GetAttr<TensorShape>(m, "full")->num_elements(), 6);
  EXPECT_EQ(GetAttr<std::vector<int32_t>>(m, "ints")->size(), 2u);
  EXPECT_TRUE(GetAttr<AttrValue::StringList>(m, "none")->empty());
  EXPECT_TRUE(GetAttr<std::vector<int32_t>>(m, "none")->empty());
  EXPECT_EQ(GetAttr<Tensor>(m, "t")->scalar<int32_t>(), 7);
  EXPECT_EQ(GetAttr<int>(m, "x").status().message(), "No attr named 'x'");
  EXPECT_EQ(GetAttr<int>(m, "x").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(GetAttr<DataType>(m, "n").status().message(),
            "AttrValue had value with type 'int' when 'type' expected\n\t for "
            "attr 'n'");
  EXPECT_FALSE(GetAttr<std::string>(m, "none").ok());
}

TEST(AttrValue, ComparesByBitsAndEmptyListsAreAlike) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(AttrValue(nan) == AttrValue(nan));
  EXPECT_FALSE(AttrValue(0.0f) == AttrValue(-0.0f));
  EXPECT_TRUE(AttrValue(AttrValue::EmptyList()) ==
              AttrValue(AttrValue::IntList()));
  EXPECT_FALSE(AttrValue(AttrValue::EmptyList()) ==
               AttrValue(AttrValue::IntList{1}));
  EXPECT_FALSE(AttrValue(1) == AttrValue(1.0));
  EXPECT_TRUE(AttrValue(NameAttrList{"f", {{"T", DataType::kFloat}}}) ==
              AttrValue(NameAttrList{"f", {{"T", DataType::kFloat}}}));
  EXPECT_TRUE(AttrValue(Tensor::Vector<int32_t>({1, 2})) ==
              AttrValue(Tensor::Vector<int32_t>({1, 2})));
}

TEST(AttrValue, Texts) {
  EXPECT_EQ(AttrValue(DataType::kFloat).DebugString(), "DT_FLOAT");
  EXPECT_EQ(AttrValue("a\"b").DebugString(), "\"a\\\"b\"");
  EXPECT_EQ(AttrValue(PartialShape({2, -1})).DebugString(), "[2,?]");
  EXPECT_EQ(AttrValue(AttrValue::TypeList{DataType::kInt32, DataType::kBool})
                .DebugString(),
            "[DT_INT32, DT_BOOL]");
  EXPECT_EQ(AttrValue(AttrValue::BoolList{true, false}).DebugString(),
            "[true, false]");
  EXPECT_EQ(
      AttrValue(NameAttrList{"f", {{"T", DataType::kFloat}}}).DebugString(),
      "f[T=DT_FLOAT]");
  EXPECT_EQ(AttrValue(AttrPlaceholder{"T"}).DebugString(), "$T");
  EXPECT_EQ(AttrValue(AttrValue::IntList(100, 1)).DebugString().substr(149),
            ", ... 50 more]");
  EXPECT_EQ(AttrValue(AttrValue::ShapeList()).kind(), "list(shape)");
  EXPECT_EQ(AttrValue().kind(), "");
}

}  // namespace
}  // namespace millrace
