#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

// The encoded image is decoded again: other releases of the libraries may write
// other bytes.
void WriteAndRead(CaseList& c, Value image, const AttrMap& attrs) {
  Case& written = c.Sequence("");
  std::vector<Value> inputs = {std::move(image)};
  if (c.op().name == "EncodeJpegVariableQuality") inputs.push_back(Scalar(70));
  written.Node("write", c.op().name, inputs, attrs);
  written.Node("read", "DecodeImage", {"write"}, {{"expand_animations", false}})
      .Run({"read"})
      .Exact();
}

void JpegErrors(CaseList& c, std::vector<Value> more) {
  const auto inputs = [&more](Value image) {
    std::vector<Value> out = {std::move(image)};
    out.insert(out.end(), more.begin(), more.end());
    return out;
  };
  c.Error(inputs(Rand(DataType::kUint8, {4, 4}, 0, 256)), kInvalid,
          "image must be 3-dimensional")
      .NoShapeCheck();
  c.Error(inputs(Rand(DataType::kUint8, {4, 4, 2}, 0, 256)), kInvalid,
          "image must have 1 or 3 channels, got");
  c.Error(inputs(Empty(DataType::kUint8, {0, 4, 3})), StatusCode::kInternal,
          "JPEG encoding failed");
}

}  // namespace

MR_CASES(EncodeJpeg)(CaseList& c) {
  for (const AttrMap& attrs :
       {AttrMap(), AttrMap{{"quality", 20}}, AttrMap{{"quality", 100}},
        AttrMap{{"progressive", true}}, AttrMap{{"optimize_size", true}},
        AttrMap{{"chroma_downsampling", false}},
        AttrMap{{"density_unit", "cm"}, {"x_density", 7}, {"y_density", -1}},
        AttrMap{{"xmp_metadata", "<x:xmpmeta/>"}}}) {
    for (const int channels : {1, 3}) {
      c.Ok({Rand(DataType::kUint8, {21, 18, channels}, 0, 256)}, attrs).Exact();
    }
  }
  WriteAndRead(c, Rand(DataType::kUint8, {9, 10, 1}, 0, 256),
               {{"format", "grayscale"}});
  WriteAndRead(c, Rand(DataType::kUint8, {9, 10, 3}, 0, 256),
               {{"format", "rgb"}});
  c.Error({Rand(DataType::kUint8, {4, 4, 3}, 0, 256)},
          {{"format", "grayscale"}}, kInvalid,
          "format grayscale expects 1 channels, got");
  c.Error({Rand(DataType::kUint8, {4, 4, 3}, 0, 256)}, {{"quality", 101}},
          kInvalid, "quality must be in [0,100], got 101");
  c.Error({Rand(DataType::kUint8, {4, 4, 3}, 0, 256)},
          {{"xmp_metadata", std::string(70000, 'x')}}, StatusCode::kInternal,
          "JPEG encoding failed");
  JpegErrors(c, {});
}

MR_CASES(EncodeJpegVariableQuality)(CaseList& c) {
  for (const int quality : {0, 1, 50, 95, 100}) {
    c.Ok({Rand(DataType::kUint8, {12, 17, 3}, 0, 256), Scalar(quality)})
        .Exact();
  }
  WriteAndRead(c, Rand(DataType::kUint8, {9, 10, 1}, 0, 256), {});
  c.Error({Rand(DataType::kUint8, {4, 4, 3}, 0, 256), Scalar(-1)}, kInvalid,
          "quality must be in [0,100], got -1");
  c.Error({Rand(DataType::kUint8, {4, 4, 3}, 0, 256), Vec({1})}, kInvalid,
          "quality must be scalar");
  JpegErrors(c, {Scalar(90)});
}

MR_CASES(EncodePng)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    const double end = t == DataType::kUint8 ? 256 : 65536;
    for (const int channels : {1, 2, 3, 4}) {
      c.Ok({Rand(t, {9, 10, channels}, 0, end)}).Exact();
      WriteAndRead(c, Iota(t, {7, 9, channels}), {});
    }
    for (const int level : {0, 1, 9}) {
      c.Ok({Iota(t, {20, 30, 3})}, {{"compression", level}}).Exact();
    }
    c.Ok({Rand(t, {2, 3, 4, 5, 1}, 0, end)}).Exact();
    c.Ok({Empty(t, {0, 4, 5, 1})});
  });
  c.Error({Empty(DataType::kUint8, {0, 5, 1})}, StatusCode::kInternal,
          "PNG encoding failed at the following flattened batch indices: 0");
  c.Error({Rand(DataType::kUint8, {4, 4, 5}, 0, 256)}, kInvalid,
          "image must have 1, 2, 3, or 4 channels, got 5");
  c.Error({Rand(DataType::kUint8, {4, 4}, 0, 256)}, kInvalid,
          "images must be at least rank 3")
      .NoShapeCheck();
  c.Error({Rand(DataType::kUint8, {4, 4, 3}, 0, 256)}, {{"compression", 10}},
          kInvalid, "compression should be in [-1,9], got 10");
}

}  // namespace millrace::cases
