#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

Value Words(std::initializer_list<double> words) {
  return Vec(DataType::kInt32, words);
}

AttrMap Attrs(IntList counts, int negatives) {
  return {{"vocab_count", std::move(counts)},
          {"num_negative_samples", negatives}};
}

}  // namespace

MR_CASES(NegTrain)(CaseList& c) {
  const auto train = [&c](Value examples, Value labels, AttrMap attrs) {
    c.Ok({Var(F32({3, 5})), Var(F32({3, 5})), std::move(examples),
          std::move(labels), Scalar(kFloat, 0.5)},
         std::move(attrs));
  };
  train(Words({0, 2}), Words({1, 0}), Attrs({5, 3, 1}, 0));
  train(Words({0, 0, 1}), Words({1, 1, 2}), Attrs({5, 3, 1}, -1));
  // With one word that has a weight there is no chance.
  train(Words({0, 1, 2}), Words({1, 2, 0}), Attrs({0, 0, 7}, 3));
  train(Empty(DataType::kInt32, {0}), Empty(DataType::kInt32, {0}),
        Attrs({5, 3, 1}, 2));
  c.Ok({Var(F32({3, 5})), Var(F32({3, 5})), Words({0, 2, 1}), Words({1, 0, 1}),
        Scalar(kFloat, 0.5)},
       Attrs({5, 3, 1}, 4))
      .Random();
  const auto error = [&c](Value in, Value out, Value examples, Value labels,
                          Value rate, IntList counts,
                          const char* words) -> Case& {
    return c.Error({Var(std::move(in)), Var(std::move(out)),
                    std::move(examples), std::move(labels), std::move(rate)},
                   Attrs(std::move(counts), 0), StatusCode::kInvalidArgument,
                   words);
  };
  const Value half = Scalar(kFloat, 0.5);
  error(F32({3, 2}), F32({3, 2}), Words({0}), Words({1}), half, {1, 2},
        "vocab_size mismatches: 3 vs. 2");
  error(F32({3}), F32({3, 2}), Words({0}), Words({1}), half, {1, 2, 3},
        "Must be a matrix");
  error(F32({3, 2}), F32({2, 2}), Words({0}), Words({1}), half, {1, 2, 3},
        "w_in.shape == w_out.shape");
  error(F32({3, 2}), F32({3, 2}), Of(DataType::kInt32, {1, 1}, {0}), Words({1}),
        half, {1, 2, 3}, "Must be a vector");
  error(F32({3, 2}), F32({3, 2}), Words({0, 1}), Words({1}), half, {1, 2, 3},
        "examples.shape == labels.shape");
  error(F32({3, 2}), F32({3, 2}), Words({0}), Words({1}), F32({1}), {1, 2, 3},
        "Must be a scalar");
  for (const double word : {-1.0, 3.0}) {
    error(F32({3, 2}), F32({3, 2}), Words({word}), Words({1}), half, {1, 2, 3},
          "is not in [0, 3)")
        .NoStock("reads and writes outside of the variables");
  }
}

}  // namespace millrace::cases
