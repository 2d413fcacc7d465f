#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

// Two clusters of boxes, one of them given by the other corners, and a separate
// box.
Value ScoredBoxes(DataType t) {
  return Of(t, {7, 4}, {0, 0,     1, 1,   0,    0.125, 1, 1.125,  0, -0.125,
                        1, 0.875, 1, 11,  0.25, 10,    0, 10.125, 1, 11.125,
                        0, 100,   1, 101, 2,    2,     2, 3});
}
Value Scores(DataType t) {
  return Vec(t, {0.9, 0.75, 0.625, 0.95, 0.5, 0.25, 0.9});
}

using Inputs = std::vector<Value>;

// boxes, scores, size, and the thresholds that the op has.
Inputs WithThresholds(CaseList& c, DataType t, Value boxes, Value scores,
                      double size, std::initializer_list<double> thresholds) {
  Inputs in = {std::move(boxes), std::move(scores),
               Scalar(static_cast<int>(size))};
  for (const double v : thresholds) {
    if (in.size() < c.op().inputs.size()) in.push_back(Scalar(t, v));
  }
  return in;
}

void Suppress(CaseList& c, DataType t, const AttrMap& attrs) {
  for (const double size : {0, 1, 3, 30}) {
    c.Ok(WithThresholds(c, t, ScoredBoxes(t), Scores(t), size, {0.5, 0.3, 0}),
         attrs);
  }
  c.Ok(WithThresholds(c, t, ScoredBoxes(t), Scores(t), 9, {0, 0, 0}), attrs);
  c.Ok(WithThresholds(c, t, ScoredBoxes(t), Scores(t), 9, {1, -1, 0}), attrs);
  c.Ok(WithThresholds(c, t, Rand(t, {60, 4}, 0, 1), Rand(t, {60}, 0, 1), 40,
                      {0.25, 0.1, 0}),
       attrs);
  c.Ok(WithThresholds(c, t, Empty(t, {0, 4}), Empty(t, {0}), 3, {0.5, 0, 0}),
       attrs);
}

void Errors(CaseList& c) {
  const auto error = [&c](Inputs in, const char* words) {
    c.Error(std::move(in), kInvalid, words).NoShapeCheck();
  };
  const auto with = [&c](Value boxes, Value scores, double size,
                         std::initializer_list<double> thresholds) {
    return WithThresholds(c, kFloat, std::move(boxes), std::move(scores), size,
                          thresholds);
  };
  error(with(F32({3, 4}), F32({3}), -1, {0.5, 0, 0}),
        "output size must be non-negative");
  error(with(F32({3, 4, 1}), F32({3}), 2, {0.5, 0, 0}), "boxes must be 2-D");
  error(with(F32({3, 5}), F32({3}), 2, {0.5, 0, 0}),
        "boxes must have 4 columns");
  error(with(F32({3, 4}), F32({4}), 2, {0.5, 0, 0}),
        "scores has incompatible shape");
  error(with(F32({3, 4}), F32({3, 1}), 2, {0.5, 0, 0}), "scores must be 1-D");
  if (c.op().inputs.size() > 3) {
    error(with(F32({3, 4}), F32({3}), 2, {1.5, 0, 0}),
          "iou_threshold must be in [0, 1]");
    Inputs in = with(F32({3, 4}), F32({3}), 2, {0.5, 0, 0});
    in[3] = Vec(kFloat, {0.5});
    error(in, "iou_threshold must be 0-D, got shape");
  }
  Inputs in = with(F32({3, 4}), F32({3}), 2, {0.5, 0, 0});
  in[2] = Vec({2});
  error(in, "max_output_size must be 0-D, got shape");
}

void SuppressEachType(CaseList& c, std::vector<AttrMap> options) {
  c.EachType("T", [&options](CaseList& c, DataType t) {
    for (const AttrMap& attrs : options) Suppress(c, t, attrs);
  });
  Errors(c);
}

const std::vector<AttrMap>& Padding() {
  static const auto* const options =
      new std::vector<AttrMap>{{}, {{"pad_to_max_output_size", true}}};
  return *options;
}

}  // namespace

MR_CASES(NonMaxSuppression)(CaseList& c) {
  Suppress(c, kFloat, {});
  Suppress(c, kFloat, {{"iou_threshold", 0.1f}});
  Errors(c);
  c.Error({F32({3, 4}), F32({3}), Scalar(2)}, {{"iou_threshold", -0.5f}},
          kInvalid, "iou_threshold must be in [0, 1]");
}
MR_CASES(NonMaxSuppressionV2)(CaseList& c) {
  SuppressEachType(c, {{}});
  for (const DataType t : {DataType::kHalf, kFloat}) {
    c.Ok({ScoredBoxes(kFloat), Scores(kFloat), Scalar(5), Scalar(t, 0.5)});
  }
}
MR_CASES(NonMaxSuppressionV3)(CaseList& c) {
  SuppressEachType(c, {{}});
  for (const DataType t : {DataType::kHalf, kFloat}) {
    c.Ok({ScoredBoxes(DataType::kHalf), Scores(DataType::kHalf), Scalar(5),
          Scalar(t, 0.5), Scalar(t, 0.5)});
  }
  c.Ok({ScoredBoxes(kFloat),
        Values<float>({0.5f, 0.25f, std::numeric_limits<float>::quiet_NaN(),
                       std::numeric_limits<float>::infinity(), 0.5f, 0.5f,
                       -std::numeric_limits<float>::infinity()}),
        Scalar(7), Scalar(kFloat, 0.5), Scalar(kFloat, -1)});
}
MR_CASES(NonMaxSuppressionV4)(CaseList& c) {
  SuppressEachType(c, Padding());
  for (const DataType t : {DataType::kHalf, kFloat}) {
    c.Ok({ScoredBoxes(kFloat), Scores(kFloat), Scalar(5), Scalar(t, 0.5),
          Scalar(t, 0.5)});
  }
}
MR_CASES(NonMaxSuppressionV5)(CaseList& c) {
  SuppressEachType(c, Padding());
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const double sigma : {0.25, 0.5, 2.0}) {
      c.Ok({ScoredBoxes(t), Scores(t), Scalar(7), Scalar(t, 0.5),
            Scalar(t, 0.1), Scalar(t, sigma)})
          .Tolerance(t == DataType::kHalf ? 2e-3 : 1e-5);
      c.Ok({Rand(t, {40, 4}, 0, 1), Rand(t, {40}, 0, 1), Scalar(30),
            Scalar(t, 1), Scalar(t, 0.2), Scalar(t, sigma)},
           {{"pad_to_max_output_size", true}})
          .Tolerance(t == DataType::kHalf ? 2e-3 : 1e-5);
    }
  });
  c.Error({F32({3, 4}), F32({3}), Scalar(2), Scalar(kFloat, 0.5),
           Scalar(kFloat, 0), Scalar(kFloat, -1)},
          kInvalid, "soft_nms_sigma_val must be >= 0");
}
MR_CASES(NonMaxSuppressionWithOverlaps)(CaseList& c) {
  for (const double threshold : {-0.5, 0.3, 2.0}) {
    c.Ok({Rand(kFloat, {20, 20}, 0, 1), Rand(kFloat, {20}, 0, 1), Scalar(12),
          Scalar(kFloat, threshold), Scalar(kFloat, 0.2)});
  }
  c.Ok({Empty(kFloat, {0, 0}), Empty(kFloat, {0}), Scalar(3), Scalar(kFloat, 0),
        Scalar(kFloat, 0)});
  c.Error(
       {F32({3, 4}), F32({3}), Scalar(2), Scalar(kFloat, 0), Scalar(kFloat, 0)},
       kInvalid, "overlaps must be square")
      .NoShapeCheck();
  c.Error({F32({3}), F32({3}), Scalar(2), Scalar(kFloat, 0), Scalar(kFloat, 0)},
          kInvalid, "overlaps must be 2-D")
      .NoShapeCheck();
}
MR_CASES(CombinedNonMaxSuppression)(CaseList& c) {
  const auto inputs = [](Value boxes, Value scores, int per_class, int total,
                         double iou = 0.5, double score = 0.2) {
    return Inputs{std::move(boxes), std::move(scores),   Scalar(per_class),
                  Scalar(total),    Scalar(kFloat, iou), Scalar(kFloat, score)};
  };
  for (const bool pad : {false, true}) {
    for (const bool clip : {false, true}) {
      const AttrMap attrs = {{"pad_per_class", pad}, {"clip_boxes", clip}};
      c.Ok(inputs(Rand(kFloat, {2, 20, 1, 4}, -0.5, 1.5),
                  Rand(kFloat, {2, 20, 3}, 0, 1), 4, 9),
           attrs);
      c.Ok(inputs(Rand(kFloat, {3, 15, 2, 4}, 0, 1),
                  Rand(kFloat, {3, 15, 2}, 0, 1), 30, 100, 0.1),
           attrs);
      c.Ok(inputs(Rand(kFloat, {1, 5, 1, 4}, 0, 1),
                  Rand(kFloat, {1, 5, 1}, 0, 1), 3, 2),
           attrs);
      c.Ok(inputs(Empty(kFloat, {2, 0, 1, 4}), Empty(kFloat, {2, 0, 3}), 3, 2),
           attrs);
    }
  }
  // Scores below -1 and many that are equal.
  c.Ok(inputs(Rand(kFloat, {1, 6, 1, 4}, 0, 1), Rand(kFloat, {1, 6, 2}, -3, 1),
              3, 5, 0.9, -5));
  c.Ok(inputs(Rand(kFloat, {1, 30, 1, 4}, 0, 1), Full(kFloat, {1, 30, 2}, 0.5),
              20, 30, 0.2));
  const auto error = [&](Inputs in, const char* words) {
    c.Error(std::move(in), kInvalid, words).NoShapeCheck();
  };
  error(inputs(F32({2, 5, 1, 4}), F32({3, 5, 1}), 3, 2),
        "boxes and scores must have same batch size");
  error(inputs(F32({2, 5, 1, 4}), F32({2, 5, 1}), 0, 2),
        "max_size_per_class must be positive");
  error(inputs(F32({2, 5, 1, 4}), F32({2, 5, 1}), 3, 0),
        "max_total_size must be > 0");
  error(inputs(F32({2, 5, 1, 4}), F32({2, 5, 1}), 3, 2, 1.5),
        "iou_threshold must be in [0, 1]");
  error(inputs(F32({2, 5, 2, 4}), F32({2, 5, 3}), 3, 2),
        "third dimension of boxes must be either 1 or num classes");
  error(inputs(F32({2, 5, 1, 3}), F32({2, 5, 3}), 3, 2),
        "boxes must have 4 columns");
  error(inputs(F32({2, 5, 1, 4}), F32({2, 4, 3}), 3, 2),
        "scores has incompatible shape");
}

}  // namespace millrace::cases
