#include "millrace/ops/summary_writer/writer.cases.h"

namespace millrace::cases {
namespace {

// The inputs of a node that writes, behind its writer.
using WriteInputs = std::vector<Value>;

class Writes {
 public:
  explicit Writes(CaseList& c) : c_(c) {}

  void Ok(const std::string& name, WriteInputs inputs, AttrMap attrs = {}) {
    Add(name, std::move(inputs), std::move(attrs)).Run({"open"}).Run({"op"});
  }
  void Error(const std::string& name, WriteInputs inputs, AttrMap attrs,
             StatusCode code, const char* words) {
    Add(name, std::move(inputs), std::move(attrs))
        .Run({"open"})
        .RunError({"op"}, code, words);
  }

 private:
  Case& Add(const std::string& name, WriteInputs inputs, AttrMap attrs) {
    inputs.insert(inputs.begin(), Value("w"));
    return WithWriter(c_.Sequence(name), name)
        .Node("op", c_.op().name, std::move(inputs), std::move(attrs));
  }

  CaseList& c_;
};

Value Step() { return Scalar(DataType::kInt64, 3); }

}  // namespace

MR_CASES(WriteScalarSummary)(CaseList& c) {
  Writes w(c);
  for (const DataType t : c.AllowedTypes("T")) {
    const std::string name(DataTypeName(t));
    WriteInputs inputs = {Step(), StrScalar("tag"), Scalar(t, 2)};
    if (t == DataType::kBfloat16) {
      w.Error(name, inputs, {}, StatusCode::kUnimplemented,
              "SummaryFileWriter bfloat16 not supported.");
    } else {
      w.Ok(name, inputs);
    }
  }
  w.Ok("several", {Step(), Str({"tag"}), Vec(kFloat, {1, 2})});
}

MR_CASES(WriteHistogramSummary)(CaseList& c) {
  Writes w(c);
  for (const DataType t : c.AllowedTypes("T")) {
    const std::string name(DataTypeName(t));
    WriteInputs inputs = {Step(), StrScalar("tag"), Rand(t, {2, 3}, 0, 4)};
    if (t == DataType::kBfloat16) {
      w.Error(name, inputs, {}, StatusCode::kUnimplemented,
              "SummaryFileWriter bfloat16 not supported.");
    } else {
      w.Ok(name, inputs);
    }
  }
  w.Ok("empty", {Step(), StrScalar("tag"), Empty(kFloat, {0})});
  w.Error("nan", {Step(), StrScalar("tag"), Vec(kFloat, {1, NAN})}, {},
          kInvalid, "Nan in summary histogram for: tag");
  w.Error("inf", {Step(), StrScalar("tag"), Vec(kFloat, {1, INFINITY})}, {},
          kInvalid, "Infinity in summary histogram for: tag");
}

MR_CASES(WriteSummary)(CaseList& c) {
  Writes w(c);
  for (const DataType t : c.AllowedTypes("T")) {
    w.Ok(std::string(DataTypeName(t)),
         {Step(), Rand(t, {2, 3}), StrScalar("tag"), StrScalar("")});
  }
  w.Ok("metadata",
       {Step(), F32({2}), StrScalar("tag"), StrScalar("\x0a\x03\x0a\x01p")});
  w.Ok("no message",
       {Step(), F32({2}), StrScalar("tag"), StrScalar("\xff\xff\xff")});
}

MR_CASES(WriteImageSummary)(CaseList& c) {
  Writes w(c);
  const Value bad = Tensor::Vector<uint8_t>({1, 2, 3});
  for (const DataType t : c.AllowedTypes("T")) {
    w.Ok(std::string(DataTypeName(t)),
         {Step(), StrScalar("tag"), Rand(t, {2, 3, 4, 3}, 0, 9), bad});
  }
  w.Ok("one", {Step(), StrScalar("tag"), F32({2, 3, 4, 1}), bad},
       {{"max_images", 1}});
  w.Ok("none", {Step(), StrScalar("tag"), Empty(kFloat, {0, 2, 2, 1}), bad});
  w.Error("rank", {Step(), StrScalar("tag"), F32({2, 3, 3}), bad}, {}, kInvalid,
          "Tensor must be 4-D with last dim 1, 3, or 4, not [2,3,3]");
  w.Error("depth", {Step(), StrScalar("tag"), F32({2, 3, 3, 2}), bad}, {},
          kInvalid, "Tensor must be 4-D with last dim 1, 3, or 4, not ");
  w.Error(
      "color",
      {Step(), StrScalar("tag"), F32({2, 3, 3, 3}),
       Tensor::Vector<uint8_t>({1, 2})},
      {}, kInvalid,
      "expected depth <= bad_color.size, got depth = 3, bad_color.size = 2");
}

MR_CASES(WriteAudioSummary)(CaseList& c) {
  Writes w(c);
  const Value rate = Scalar(kFloat, 8000);
  w.Ok("clips", {Step(), StrScalar("tag"), F32({2, 3, 1}), rate});
  w.Ok("one", {Step(), StrScalar("tag"), F32({2, 3}), rate},
       {{"max_outputs", 1}});
  w.Error("rate", {Step(), StrScalar("tag"), F32({2, 3}), Scalar(kFloat, 0)},
          {}, kInvalid, "sample_rate must be > 0");
}

MR_CASES(WriteGraphSummary)(CaseList& c) {
  Writes w(c);
  w.Ok("graph", {Step(), StrScalar("\"\x03\x08\xaa\x13")});
  w.Error("no graph", {Step(), StrScalar("\xff\xff")}, {},
          StatusCode::kDataLoss, "Bad tf.GraphDef binary proto tensor string");
}

MR_CASES(WriteRawProtoSummary)(CaseList& c) {
  Writes w(c);
  const std::string summary(
      "\x0a\x08\x0a\x01"
      "a\x15\0\0\x80\x3f",
      10);
  w.Ok("one", {Step(), StrScalar(summary)});
  w.Ok("several", {Step(), Str({summary, "", summary})});
  w.Ok("none", {Step(), Empty(DataType::kString, {0})});
  w.Error("no summary", {Step(), Str({summary, "\xff\xff"})}, {},
          StatusCode::kDataLoss,
          "Bad tf.compat.v1.Summary binary proto tensor string at index 1");
}

MR_CASES(ImportEvent)(CaseList& c) {
  Writes w(c);
  const std::string event(
      "\x10\x09\x2a\x0a\x0a\x08\x0a\x01"
      "a\x15\0\0\x80\x3f",
      14);
  w.Ok("event", {StrScalar(event)});
  w.Ok("vector", {Str({event})});
  w.Error("no event", {StrScalar("\xff\xff")}, {}, StatusCode::kDataLoss,
          "Bad tf.Event binary proto tensor string");
}

}  // namespace millrace::cases
