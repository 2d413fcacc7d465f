#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

constexpr char kEndless[] = "stock's threads go on reading until they end";

}  // namespace

MR_CASES(RecordInput)(CaseList& c) {
  // Records "abc" and "", with their checksums.
  const std::string record(
      "\x03\0\0\0\0\0\0\0\0\0\0\0"
      "abc\0\0\0\0",
      19);
  const std::string folder = "/tmp/millrace_cases/RecordInput/";
  c.Sequence("damaged")
      .Node("write", "WriteFile",
            {StrScalar(folder + "damaged"), StrScalar(record)})
      .Node("op", "RecordInput", {},
            {{"file_pattern", folder + "damaged"}, {"batch_size", 2}})
      .Run({"write"})
      .RunError({"op"}, StatusCode::kDataLoss, "corrupted record at 0")
      .NoStock(kEndless);
  c.Sequence("empty")
      .Node("write", "WriteFile", {StrScalar(folder + "empty"), StrScalar("")})
      .Node("op", "RecordInput", {}, {{"file_pattern", folder + "empty"}})
      .Run({"write"})
      .RunError({"op"}, StatusCode::kFailedPrecondition,
                "the files have no records")
      .NoStock(kEndless);
  c.Error({}, {{"file_pattern", folder + "none*"}}, StatusCode::kNotFound,
          "Found no files at ")
      .NoStock(kEndless);
  c.Error({}, {{"file_pattern", folder + "a"}, {"batch_size", -1}},
          StatusCode::kInvalidArgument,
          "batch_size must be non-negative but got -1")
      .NoStock(kEndless);
  c.Ok({}, {{"file_pattern", folder + "none*"}, {"batch_size", 0}})
      .NoStock(kEndless);
}

}  // namespace millrace::cases
