#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

AttrMap Equation(const char* text) { return AttrMap({{"equation", text}}); }

Case& One(CaseList& c, Value x, const char* text) {
  return c.Ok({std::move(x)}, Equation(text));
}
Case& Two(CaseList& c, Value x, Value y, const char* text) {
  return c.Ok({std::move(x), std::move(y)}, Equation(text));
}

void OneOperand(CaseList& c) {
  for (const char* text : {"ab->ba", "ab->a", "ab->b", "ab->", "ab->ab",
                           "ab->aab", "...->...", "...b->b...", "a...->a..."}) {
    One(c, F64({3, 4}), text).Gradient();
  }
  for (const char* text : {"aab->ab", "aab->b", "aba->ba", "aab->", "aac->aca",
                           "aaa->a", "aaa->"}) {
    One(c, F64({3, 3, 3}), text).Gradient();
  }
  One(c, F64({2, 3, 4, 5}), "a...d->d...").Gradient();
  One(c, F64({2, 3, 4, 5}), "ab...->b...").Gradient();
  One(c, F64({}), "->").Gradient();
  One(c, F64({4}), "i->iii").Gradient();
  One(c, Empty(kFloat, {0, 3}), "ab->b");
  One(c, Empty(kFloat, {0, 3}), "ab->ba");
}

void TwoOperands(CaseList& c) {
  Two(c, F64({3, 4}), F64({4, 5}), "ij,jk->ik").Gradient();
  Two(c, F64({3, 4}), F64({5, 4}), "ij,kj->ki").Gradient();
  Two(c, F64({4, 3}), F64({4, 5}), "ji,jk->ik").Gradient();
  Two(c, F64({2, 3, 4}), F64({2, 4, 5}), "bij,bjk->bik").Gradient();
  Two(c, F64({2, 3, 4}), F64({2, 5, 4}), "bij,bkj->ikb").Gradient();
  Two(c, F64({2, 3, 4}), F64({5, 4, 2}), "bij,kjb->kib").Gradient();
  Two(c, F64({3, 4}), F64({3, 4}), "ij,ij->").Gradient();
  Two(c, F64({3, 4}), F64({3, 4}), "ij,ij->ij").Gradient();
  Two(c, F64({3}), F64({4}), "i,j->ij").Gradient();
  Two(c, F64({3}), F64({4}), "i,j->ji").Gradient();
  Two(c, F64({}), F64({4}), ",j->j").Gradient();
  // Labels of one operand alone, repeated ones.
  Two(c, F64({3, 4}), F64({4, 5}), "ab,bc->b").Gradient();
  Two(c, F64({2, 3, 4}), F64({4, 5}), "abc,cd->ad").Gradient();
  Two(c, F64({3, 3, 2}), F64({2, 4}), "iij,jk->ik").Gradient();
  Two(c, F64({3, 2}), F64({2, 3}), "ij,ji->iij").Gradient();
  Two(c, F64({2, 3, 4, 5}), F64({3, 5, 6}), "abcd,bde->eac").Gradient();
  // Ellipses.
  Two(c, F64({2, 3, 4}), F64({2, 4, 5}), "...ij,...jk->...ik").Gradient();
  Two(c, F64({2, 1, 3, 4}), F64({6, 4, 5}), "...ij,...jk->...ik").Gradient();
  Two(c, F64({3, 4}), F64({2, 4, 5}), "ij,...jk->i...k").Gradient();
  Two(c, F64({2, 3, 4}), F64({4, 5}), "...ij,jk->...ik").Gradient();
  Two(c, F64({4, 1, 3}), F64({2, 5}), "i...j,...k->kj...i").Gradient();
  Two(c, F64({3, 4}), F64({4, 5}), "...ij,jk->ik").Gradient();
  Two(c, C128({2, 3}), C128({3, 2}), "ij,jk->ik").Gradient();
  Two(c, C128({2, 1, 3}), C128({4, 3}), "b...i,...i->...b").Gradient();
  // Nothing to add.
  Two(c, Empty(kFloat, {3, 0}), Empty(kFloat, {0, 5}), "ij,jk->ik");
  Two(c, Empty(kFloat, {0, 4}), F32({4, 5}), "ij,jk->ik");
  Two(c, Rand(kFloat, {40, 70}, -1, 1), Rand(kFloat, {70, 50}, -1, 1),
      "ij,jk->ki")
      .Tolerance(1e-4);
}

void Errors(CaseList& c) {
  c.Error({F32({2, 3}), F32({4, 5})}, Equation("ij,jk->ik"), kInvalid,
          "Expected dimension 3 at axis 0 of the input shaped [4,5] but got "
          "dimension 4");
  c.Error({F32({2})}, Equation("ij->i"), kInvalid,
          "Expected input 0 to have rank 2 but got: 1");
  c.Error({F32({2})}, Equation("ij...->i..."), kInvalid,
          "Expected input 0 to have rank at least 2 but got: 1");
  c.BuildError({F32({2, 3})}, Equation("ij,jk->ik"),
               "Expected 2 inputs for equation ij,jk->ik but got: 1");
  c.BuildError({F32({2, 3})}, Equation("ij"),
               "Expecting exactly one '->' in einsum equation: ij");
  c.BuildError({F32({2}), F32({2})}, Equation("i,i,i->i"),
               "Expecting 1 or 2 input subscripts in equation 'i,i,i->i' but "
               "got: 3");
  c.BuildError({F32({2, 3}), F32({4, 5})}, Equation("ij,jk->ik"),
               "Dimensions must be equal, but are 3 and 4");
}

}  // namespace

MR_CASES(Einsum)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    Two(c, Rand(t, {3, 4}), Rand(t, {4, 5}), "ij,jk->ik")
        .Tolerance(t == DataType::kBfloat16 ? 3e-2
                   : t == DataType::kHalf   ? 4e-3
                                            : 1e-5);
    Two(c, Rand(t, {2, 1, 3, 4}), Rand(t, {5, 4, 2}), "...ij,...jk->...ki")
        .Tolerance(t == DataType::kBfloat16 ? 3e-2
                   : t == DataType::kHalf   ? 4e-3
                                            : 1e-5);
    One(c, Rand(t, {3, 3, 2}), "aab->ba");
    One(c, Rand(t, {3, 2}), "ab->b");
    One(c, Rand(t, {3, 2}), "ab->aba");
  });
  OneOperand(c);
  TwoOperands(c);
  Errors(c);
  // Reductions over one element, and a transpose that moves nothing.
  One(c, F64({3, 1}), "ij->i");
  One(c, F64({1}), "i->");
  One(c, F64({1, 3, 4}), "abc->bac");
  One(c, F64({1, 1}), "ii->i");
  One(c, F64({1, 4}), "ab->b");
  One(c, F64({2, 1, 3}), "abc->ac");
  One(c, F64({3, 1}), "...a->...");
  One(c, F64({1, 3}), "a...->...");
  One(c, F64({3}), "a...->a...");
  One(c, F64({3, 4}), "...b->...b");
}

}  // namespace millrace::cases
