// Lists in lists, optionals in optionals: the client decides how deeply they
// nest.
#include <gtest/gtest.h>

#include "millrace/client/session.h"
#include "millrace/client/while_loop.h"

namespace millrace::ops {
namespace {

using Outputs = std::vector<Output>;

Output EmptyList(const Scope& s) {
  return EmptyTensorList(s, -1, -1, DataType::kVariant);
}

// Applies `wrap` to `inner` n times.
template <class Wrap>
Output Nested(const Scope& s, const Output& n, const Output& inner, Wrap wrap) {
  return WhileLoop(
      s, {0, inner},
      [&](const Scope& c, const Outputs& v) { return Less(c, v[0], n); },
      [&](const Scope& b, const Outputs& v) {
        return Outputs{AddV2(b, v[0], 1), wrap(b, v[1])};
      })[1];
}

Output AroundOnce(const Scope& s, const Output& v) {
  return TensorListPushBack(s, EmptyList(s), v);
}

Output AroundTwice(const Scope& s, const Output& v) {
  return TensorListPushBack(s, AroundOnce(s, v), v);
}

void ExpectValue(const Scope& s, const Output& n, int32_t times,
                 const Output& fetch, int32_t expected) {
  ASSERT_TRUE(s.ok()) << s.status();
  Session session(s);
  const auto out = session.Run({{n, times}}, {fetch});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].scalar<int32_t>(), expected);
}

// Deep enough that recursion over the levels would overflow any stack.
constexpr int32_t kDeep = 200'000;

TEST(NestedVariants, DeepListsGo) {
  const Scope s = Scope::NewRoot();
  const Output n = Placeholder(s, DataType::kInt32);
  const Output deep = Nested(s, n, EmptyList(s), AroundOnce);
  ExpectValue(s, n, kDeep, TensorListLength(s, deep), 1);
}

TEST(NestedVariants, DeepListsBecomeZeros) {
  const Scope s = Scope::NewRoot();
  const Output n = Placeholder(s, DataType::kInt32);
  const Output deep = Nested(s, n, EmptyList(s), AroundOnce);
  ExpectValue(s, n, kDeep, TensorListLength(s, ZerosLike(s, deep)), 1);
}

TEST(NestedVariants, DeepListsAddUp) {
  const Scope s = Scope::NewRoot();
  const Output n = Placeholder(s, DataType::kInt32);
  const Output deep = Nested(s, n, EmptyList(s), AroundOnce);
  ExpectValue(s, n, kDeep, TensorListLength(s, AddN(s, {deep, deep})), 1);
}

TEST(NestedVariants, DeepOptionals) {
  const Scope s = Scope::NewRoot();
  const Output n = Placeholder(s, DataType::kInt32);
  const Output deep =
      Nested(s, n, OptionalNone(s), [](const Scope& b, const Output& v) {
        return OptionalFromValue(b, {v});
      });
  const Output sum = AddN(s, {ZerosLike(s, deep), deep});
  ExpectValue(s, n, kDeep, Cast(s, OptionalHasValue(s, sum), DataType::kInt32),
              1);
}

// A list occurs twice in another one, that one twice in the next, ...: there
// are 2^n paths, but few values.
TEST(NestedVariants, SharedListsAreGoneThroughOnce) {
  const Scope s = Scope::NewRoot();
  const Output n = Placeholder(s, DataType::kInt32);
  const Output deep = Nested(s, n, EmptyList(s), AroundTwice);
  const Output sum = AddN(s, {ZerosLike(s, deep), deep, deep});
  ExpectValue(s, n, 1000, TensorListLength(s, sum), 2);
}

// Zeros and sums of nested lists equal those of the flat ones.
TEST(NestedVariants, ZerosAndSumsOfWhatIsInside) {
  const Scope s = Scope::NewRoot();
  const Output n = Placeholder(s, DataType::kInt32);
  const Output row = Const(s, Tensor::Vector<int32_t>({3, 4}));
  const Output numbers =
      TensorListPushBack(s, EmptyTensorList(s, -1, -1, DataType::kInt32), row);
  const Output nested = Nested(s, n, numbers, AroundTwice);
  const Output sum = AddN(s, {ZerosLike(s, nested), nested, nested});
  Output inside = sum;
  for (int i = 0; i < 3; ++i) {
    inside = TensorListGetItem(s, inside, 1, -1, DataType::kVariant);
  }
  const Output first = TensorListGetItem(s, inside, 0, -1, DataType::kInt32);
  ExpectValue(s, n, 3, Sum(s, first, 0), 14);
}

}  // namespace
}  // namespace millrace::ops
