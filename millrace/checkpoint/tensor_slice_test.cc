#include "millrace/checkpoint/tensor_slice.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace millrace {
namespace {

using Extent = TensorSlice::Extent;

TEST(TensorSlice, ParsesAndPrints) {
  for (const char* text :
       {"0,3:0,2", "-", "-:4,1:-", "", "7,9223372036854775800"}) {
    auto slice = TensorSlice::Parse(text);
    ASSERT_TRUE(slice.ok()) << slice.status();
    EXPECT_EQ(slice->DebugString(), text);
  }
  EXPECT_TRUE(TensorSlice::Parse("-:-")->IsFull());
  EXPECT_FALSE(TensorSlice::Parse("0,2:-")->IsFull());
  EXPECT_TRUE(TensorSlice::Parse("0,2:-")->Covers({2, 5}));
  EXPECT_FALSE(TensorSlice::Parse("0,2:-")->Covers({3, 5}));
  EXPECT_FALSE(TensorSlice::Parse("0,2:-")->Covers({2}));
  for (const char* text :
       {"3", "0,3:", ":", "a,b", "-1,2", "1,0", "1,-1", "0,3,4", "--", " -",
        "1,9223372036854775807", "0,99999999999999999999"}) {
    auto slice = TensorSlice::Parse(text);
    EXPECT_EQ(slice.status().code(), StatusCode::kInvalidArgument) << text;
  }
}

TEST(TensorSlice, ShapeOfTheSlice) {
  const TensorSlice slice = *TensorSlice::Parse("1,2:-");
  EXPECT_EQ(*slice.SliceShape({3, 5}), TensorShape({2, 5}));
  EXPECT_FALSE(slice.SliceShape({2, 5}).ok());
  EXPECT_FALSE(slice.SliceShape({3}).ok());
  EXPECT_EQ(*TensorSlice().SliceShape({}), TensorShape());
  EXPECT_EQ(*TensorSlice::Full(2).SliceShape({0, 4}), TensorShape({0, 4}));
}

TEST(TensorSlice, ShapeAndSlice) {
  EXPECT_FALSE(ParseShapeAndSlice("")->has_value());
  auto spec = ParseShapeAndSlice("5 2 0,3:0,2");
  ASSERT_TRUE(spec.ok());
  EXPECT_EQ((*spec)->full_shape, TensorShape({5, 2}));
  EXPECT_EQ((*spec)->slice.DebugString(), "0,3:0,2");
  EXPECT_EQ((*spec)->slice_shape, TensorShape({3, 2}));
  for (const char* text : {"5", "5 2 0,3", "5 2 0,6:-", "a 0,1", "-1 0,1",
                           "5  0,3", "5 0,3 ", "9999999999 9999999999 -:-"}) {
    EXPECT_EQ(ParseShapeAndSlice(text).status().code(),
              StatusCode::kInvalidArgument)
        << text;
  }
}

TEST(TensorSlice, Keys) {
  const std::string key = SliceKey("part", *TensorSlice::Parse("0,3:0,2"));
  EXPECT_EQ(key, std::string("\0part\0\1\1\2\x80\x83\x80\x82", 13));
  EXPECT_EQ(SliceKey("part", *TensorSlice::Parse("3,2:0,2")).substr(9),
            "\x83\x82\x80\x82");
  EXPECT_EQ(SliceKey("b", TensorSlice::Full(1)),
            std::string("\0b\0\1\1\1\x80\x7f", 8));
  EXPECT_TRUE(IsSliceKey(key));
  EXPECT_FALSE(IsSliceKey("part"));
  EXPECT_FALSE(IsSliceKey(""));
  std::string name;
  TensorSlice slice;
  const std::string odd("a\0\xff/b", 5);
  for (const char* text : {"", "-", "100000000000,5:-:2,70", "0,64"}) {
    const TensorSlice in = *TensorSlice::Parse(text);
    ASSERT_TRUE(ParseSliceKey(SliceKey(odd, in), &name, &slice).ok());
    EXPECT_EQ(name, odd);
    EXPECT_EQ(slice, in);
  }
  for (size_t n = 0; n < key.size(); ++n) {
    EXPECT_FALSE(ParseSliceKey(key.substr(0, n), &name, &slice).ok());
  }
  EXPECT_FALSE(ParseSliceKey(key + "x", &name, &slice).ok());
}

}  // namespace
}  // namespace millrace
