#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

Value Classes() { return Of(kInt64, {3, 2}, {0, 1, 7, 3, 19, 0}); }

struct Draw {
  int sampled;
  bool unique = false;
  int range = 0;  // none if 0
};

AttrMap Attrs(const Draw& draw) {
  AttrMap attrs = {{"num_true", 2},
                   {"num_sampled", draw.sampled},
                   {"unique", draw.unique},
                   {"seed", 7},
                   {"seed2", 3}};
  if (draw.range > 0) attrs.Set("range_max", draw.range);
  return attrs;
}
AttrMap With(AttrMap attrs, const char* name, AttrValue value) {
  attrs.Set(name, std::move(value));
  return attrs;
}

void Samplers(CaseList& c) {
  for (const bool unique : {false, true}) {
    c.Ok({Classes()}, Attrs({.sampled = 15, .unique = unique, .range = 50}));
    c.Ok({Classes()}, Attrs({.sampled = 64, .unique = unique, .range = 64}));
    c.Ok({Empty(kInt64, {0, 2})},
         Attrs({.sampled = 5, .unique = unique, .range = 20}));
    c.Sequence(unique ? "unique goes_on" : "goes_on")
        .Node("op", c.op().name, {Classes()},
              Attrs({.sampled = 9, .unique = unique, .range = 30}))
        .Run({"op"})
        .Run({"op"})
        .Run({"op"});
  }
  c.Error({Classes()}, Attrs({.sampled = 21, .unique = true, .range = 20}),
          kInvalid, "Sampler's range is too small.");
  c.Error({Of(kInt64, {3, 1}, {0, 1, 7})},
          Attrs({.sampled = 5, .unique = true, .range = 20}), kInvalid,
          "true_classes must have num_true columns, expected: 1 was: 2")
      .NoShapeCheck();
  c.Error({Vec(kInt64, {0, 1})},
          Attrs({.sampled = 5, .unique = true, .range = 20}), kInvalid,
          "true_classes must be a matrix")
      .NoShapeCheck();
}

void Learned(CaseList& c) {
  Samplers(c);
  c.Error({Of(kInt64, {1, 2}, {0, 20})},
          Attrs({.sampled = 5, .unique = true, .range = 20}), kInvalid,
          "`true_candidate` out of range [0, 20), received 20");
  AttrMap huge = Attrs({.sampled = 5, .range = 1});
  huge.Set("range_max", int64_t{1} << 40);
  c.Error({Classes()}, huge, kInvalid, "range_max must be below 2147483647")
      .NoStock("ends the process");
}

}  // namespace

MR_CASES(UniformCandidateSampler)(CaseList& c) { Samplers(c); }
MR_CASES(LogUniformCandidateSampler)(CaseList& c) { Samplers(c); }
MR_CASES(LearnedUnigramCandidateSampler)(CaseList& c) { Learned(c); }
MR_CASES(ThreadUnsafeUnigramCandidateSampler)(CaseList& c) { Learned(c); }

MR_CASES(FixedUnigramCandidateSampler)(CaseList& c) {
  const FloatList weights = {1, 5, 0.5, 3, 8, 2, 2, 1, 0.25, 4};
  const auto with = [&](const Draw& draw) {
    return With(Attrs(draw), "unigrams", weights);
  };
  const auto few = [] { return Of(kInt64, {3, 2}, {0, 1, 2, 2, 1, 0}); };
  for (const bool unique : {false, true}) {
    c.Ok({few()}, with({.sampled = 8, .unique = unique, .range = 10}));
    c.Ok({few()}, With(with({.sampled = 8, .unique = unique, .range = 10}),
                       "distortion", 0.75f));
    c.Ok({few()}, With(with({.sampled = 8, .unique = unique, .range = 12}),
                       "num_reserved_ids", 2));
    c.Ok({few()}, With(With(with({.sampled = 2, .unique = unique, .range = 4}),
                            "num_shards", 3),
                       "shard", 0));
    c.Ok({few()}, With(With(with({.sampled = 2, .unique = unique, .range = 3}),
                            "num_shards", 3),
                       "shard", 2));
  }
  c.Error({Classes()}, with({.sampled = 8, .range = 11}), kInvalid,
          "range is 11 must be equal to weights size");
  c.Error({Classes()}, Attrs({.sampled = 8, .range = 11}), kInvalid,
          "Must provide either vocab_file or unigrams.");
  c.Error({Classes()},
          With(with({.sampled = 8, .range = 10}), "vocab_file", "a"), kInvalid,
          "Must only provide one of vocab_file and unigrams.");
  c.Error(
      {Classes()},
      With(Attrs({.sampled = 8, .range = 10}), "vocab_file", "/nowhere/at/all"),
      StatusCode::kNotFound, "/nowhere/at/all");
  c.Error({few()},
          With(with({.sampled = 11, .unique = true, .range = 12}),
               "num_reserved_ids", 2),
          kInvalid, "Sampler's range is too small.")
      .NoStock("draws without end");
}

MR_CASES(AllCandidateSampler)(CaseList& c) {
  for (const bool unique : {false, true}) {
    c.Ok({Classes()}, Attrs({.sampled = 20, .unique = unique}));
    c.Ok({Empty(kInt64, {0, 2})}, Attrs({.sampled = 5, .unique = unique}));
    c.Error({Classes()}, Attrs({.sampled = 19, .unique = unique}), kInvalid,
            "`true_candidate` out of range [0, 19), received 19");
  }
}

MR_CASES(ComputeAccidentalHits)(CaseList& c) {
  c.Ok({Classes(), Vec(kInt64, {5, 3, 0, 8, 3})}, {{"num_true", 2}});
  c.Ok({Classes(), Vec(kInt64, {50})}, {{"num_true", 2}});
  c.Ok({Classes(), Empty(kInt64, {0})}, {{"num_true", 2}});
  c.Ok({Empty(kInt64, {0, 2}), Vec(kInt64, {5})}, {{"num_true", 2}});
  c.Error({Classes(), Vec(kInt64, {5})}, {{"num_true", 3}}, kInvalid,
          "true_candidates must be a batch_size * num_true matrix")
      .NoShapeCheck();
}

}  // namespace millrace::cases
