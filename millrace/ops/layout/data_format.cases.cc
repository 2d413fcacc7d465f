#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

AttrMap Formats(const char* src, const char* dst) {
  return {{"src_format", src}, {"dst_format", dst}};
}

void AddFormatErrors(CaseList& c) {
  const auto error = [&](const char* src, const char* dst, const char* words) {
    c.Error({Vec({0, 1, 2, 3})}, Formats(src, dst), kInvalid, words);
  };
  error("NHW", "NWH",
        "Source format must be of length 4 or 5, received src_format = NHW");
  error("NHWC", "NHWCXY",
        "Destination format must be of length 4 or 5, received dst_format = "
        "NHWCXY");
  error("NHWC", "NCDHW",
        "Destination and source format must determine a permutation, got NHWC "
        "and NCDHW");
  error("NHWC", "NCHX", "must determine a permutation, got NHWC and NCHX");
  error("NHHC", "NHHC", "must determine a permutation, got NHHC and NHHC");
}

}  // namespace

MR_CASES(DataFormatDimMap)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Of(t, {2, 2}, {-4, -1, 0, 3})});
    c.Ok({Vec(t, {0, 1, 2, 3, 4, -1, -5, 77})}, Formats("NDHWC", "NCDHW"));
    c.Ok({Vec(t, {4, -5, 2147483647, -2147483648.0})});
    c.Ok({Scalar(t, 2)});
    c.Ok({Empty(t, {0, 3})});
    c.Ok({Vec(t, {0, 1, 2, 3})}, Formats("abcd", "dcba"));
  });
  AddFormatErrors(c);
}
MR_CASES(DataFormatVecPermute)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Vec(t, {1, 2, 3, 4})});
    c.Ok({Vec(t, {1, 2, 3, 4})}, Formats("NCHW", "NHWC"));
    c.Ok({Vec(t, {7, 8})});
    c.Ok({Vec(t, {7, 8})}, Formats("NHWC", "NCWH"));
    c.Ok({Iota(t, {4, 2})});
    c.Ok({Iota(t, {2, 2})}, Formats("NHWC", "NWHC"));
    c.Ok({Vec(t, {1, 2, 3, 4, 5})}, Formats("NDHWC", "NCDHW"));
    c.Ok({Vec(t, {1, 2, 3})}, Formats("NDHWC", "NWHDC"));
    c.Ok({Iota(t, {5, 2})}, Formats("NDHWC", "NCDHW"));
    c.Ok({Iota(t, {3, 2})}, Formats("NDHWC", "NCWHD"));
  });
  AddFormatErrors(c);
  c.Error({Scalar(1)}, kInvalid,
          "input must be a vector or 2D tensor, but got shape []");
  c.Error({I32({4, 2, 1})}, kInvalid,
          "input must be a vector or 2D tensor, but got shape [4,2,1]");
  c.Error({I32({3})}, kInvalid,
          "1D input must be of size 2 or 4, but got shape [3]");
  c.Error({I32({0})}, kInvalid,
          "1D input must be of size 2 or 4, but got shape [0]");
  c.Error({I32({4})}, Formats("NDHWC", "NCDHW"), kInvalid,
          "1D input must be of size 3 or 5, but got shape [4]");
  c.Error({I32({0, 2})}, kInvalid,
          "First dimension of 2D input must be of size 2 or 4, but got shape "
          "[0,2]");
  c.Error({I32({4, 3})}, kInvalid,
          "Second dimension of 2D input must be of size 2, but got shape "
          "[4,3]");
  c.Error({I32({2})}, Formats("abcd", "dcba"), kInvalid,
          "Format specifier must contain H and W for 2D case");
  c.Error({I32({3})}, Formats("abcde", "edcba"), kInvalid,
          "Format specifier must contain D, H and W for 2D case");
}

}  // namespace millrace::cases
