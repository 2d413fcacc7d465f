#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

constexpr StatusCode kInvalid = StatusCode::kInvalidArgument;
constexpr DataType kF32 = DataType::kFloat;

void Sounds(CaseList& c, bool rate_is_input) {
  const auto with = [&](Value tag, Value clips, double rate, int most = 3) {
    std::vector<Value> inputs = {std::move(tag), std::move(clips)};
    AttrMap attrs = {{"max_outputs", most}};
    if (rate_is_input) {
      inputs.push_back(Scalar(kF32, rate));
    } else {
      attrs.Set("sample_rate", static_cast<float>(rate));
    }
    return std::pair(inputs, attrs);
  };
  const auto ok = [&](std::pair<std::vector<Value>, AttrMap> p) {
    c.Ok(std::move(p.first), std::move(p.second));
  };
  const auto error = [&](std::pair<std::vector<Value>, AttrMap> p,
                         const char* words) {
    c.Error(std::move(p.first), std::move(p.second), kInvalid, words)
        .NoShapeCheck();
  };
  ok(with(StrScalar("tone"), Rand(kF32, {2, 9, 2}, -1.5, 1.5), 44100));
  ok(with(StrScalar("tone"), F32({5, 4}), 8000.5));
  ok(with(StrScalar("tone"), F32({2, 4, 1}), 8000, 1));
  ok(with(StrScalar("tone"), Empty(kF32, {0, 4, 1}), 8000));
  error(with(Str({"a"}), F32({2, 4}), 8000), "Tag must be a scalar");
  error(with(StrScalar("a"), F32({4}), 8000),
        "Tensor must be 3-D or 2-D, got: [4]");
  error(with(StrScalar("a"), F32({2, 4}), 0), "sample_rate must be > 0");
  error(with(StrScalar("a"), F32({1, 4, 70000}), 8000),
        "num_channels must be in (0, 2^16), got: 70000");
}

}  // namespace

MR_CASES(ImageSummary)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const int depth : {1, 3, 4}) {
      c.Ok({StrScalar("image"), Rand(t, {2, 5, 7, depth}, 0, 100)});
      c.Ok({StrScalar("image"), Rand(t, {1, 3, 2, depth}, -3, 2)},
           {{"max_images", 1}});
    }
    c.Ok({StrScalar("image"), Full(t, {5, 2, 2, 1}, 0)});
    if (t == DataType::kUint8) return;
    c.Ok({StrScalar("bad"), Of(t, {1, 2, 2, 1}, {1, NAN, INFINITY, 0.5})});
    c.Ok({StrScalar("bad"), Of(t, {1, 1, 2, 3}, {1, NAN, 2, -1, 3, 0.5})},
         {{"bad_color", Tensor::Vector<uint8_t>({9, 8, 7})}});
    c.Ok({StrScalar("bad"), Of(t, {1, 1, 2, 1}, {NAN, INFINITY})});
  });
  c.Ok({StrScalar(""), Empty(kF32, {0, 2, 2, 1})});
  c.Error({Str({"a"}), F32({1, 2, 2, 1})}, kInvalid, "Tags must be a scalar");
  c.Error({StrScalar("a"), F32({1, 2, 2, 2})}, kInvalid,
          "Tensor must be 4-D with last dim 1, 3, or 4, not [1,2,2,2]");
  c.Error({StrScalar("a"), Empty(kF32, {1, 0, 2, 1})}, kInvalid,
          "input tensor must have non-zero dims. Found: [1, 0, 2, 1].");
  c.Error({StrScalar("a"), F32({1, 2, 2, 3})},
          {{"bad_color", Tensor::Vector<uint8_t>({9, 8})}}, kInvalid,
          "expected depth <= bad_color.size, got depth = 3, bad_color.size = "
          "2");
  c.Error({StrScalar("a"), F32({1, 2, 2, 3})},
          {{"bad_color", Tensor::Vector<int32_t>({9, 8, 7})}}, kInvalid,
          "bad_color must be uint8, got int32");
}

MR_CASES(AudioSummary)(CaseList& c) { Sounds(c, false); }
MR_CASES(AudioSummaryV2)(CaseList& c) {
  Sounds(c, true);
  c.Ok({StrScalar("a"), F32({2, 4}), Vec(kF32, {8000})});
  c.Error({StrScalar("a"), F32({2, 4}), Vec(kF32, {8000, 8000})}, kInvalid,
          "sample_rate must be rank-0 or contain a single value");
}

// The message holds the node's name, which is another one on stock;
// TensorSummaryV2's cases compare the rest of it.
MR_CASES(TensorSummary)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 3})}).Random();
    c.Ok({Rand(t, {})}).Random();
  });
  c.Ok({Empty(kF32, {0, 2})}).Random();
}

MR_CASES(TensorSummaryV2)(CaseList& c) {
  // A plug-in called "p".
  const auto metadata = [] {
    return StrScalar(std::string("\x0a\x03\x0a\x01p", 5));
  };
  c.EachType("T", [&](CaseList& c, DataType t) {
    c.Ok({StrScalar("x"), Rand(t, {2, 3}), metadata()});
    c.Ok({StrScalar("x"), Rand(t, {}), StrScalar("")});
  });
  c.Ok({StrScalar(""), Empty(kF32, {0, 2}), metadata()});
  c.Error({Str({"x"}), F32({2}), metadata()}, kInvalid, "tag must be scalar");
  c.Error({StrScalar("x"), F32({2}), Str({"a"})}, kInvalid,
          "serialized_summary_metadata must be scalar");
  c.Error({StrScalar("x"), F32({2}), StrScalar("\x0a\x09")}, kInvalid,
          "serialized_summary_metadata is no message")
      .NoStock("leaves it out");
}

MR_CASES(Timestamp)(CaseList& c) { c.Ok({}).Random(); }

}  // namespace millrace::cases
