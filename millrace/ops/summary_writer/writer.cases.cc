#include "millrace/ops/summary_writer/writer.cases.h"

namespace millrace::cases {

MR_CASES(SummaryWriter)(CaseList& c) {
  WithWriter(c.Sequence("open twice and close"), "twice")
      .Node("close", "CloseSummaryWriter", {"w"})
      .RunError({"close"}, StatusCode::kNotFound, "does not exist")
      .Run({"open"})
      .Run({"open"})
      .Run({"close"})
      .Run({"open"})
      .Run({"close"});
}

MR_CASES(CreateSummaryFileWriter)(CaseList& c) {
  c.Sequence("no folder")
      .Node("w", "SummaryWriter", {}, {{"shared_name", "writer_no_folder"}})
      .Node("open", "CreateSummaryFileWriter",
            {"w", StrScalar("/proc/millrace_cases/x"), Scalar(-1), Scalar(-5),
             StrScalar("")})
      .Node("flush", "FlushSummaryWriter", {"w"})
      .RunError({"open"}, StatusCode::kNotFound, "/proc/millrace_cases")
      .RunError({"flush"}, StatusCode::kNotFound, "does not exist");
}

MR_CASES(CreateSummaryDbWriter)(CaseList& c) {
  const auto with_db = [&](const char* name, const std::string& path) -> Case& {
    // An empty file is a database without tables.
    return c.Sequence(name)
        .Node("file", "WriteFile", {StrScalar(path), StrScalar("")})
        .Node("w", "SummaryWriter", {},
              {{"shared_name", std::string("writer_db_") + name}})
        .Node("open", "CreateSummaryDbWriter",
              {"w", StrScalar(path), StrScalar("experiment"), StrScalar("run"),
               StrScalar("user")})
        .Node("scalar", "WriteScalarSummary",
              {"w", Scalar(DataType::kInt64, 3), StrScalar("t"),
               Scalar(DataType::kFloat, 1)})
        .Node("texts", "WriteSummary",
              {"w", Scalar(DataType::kInt64, 3), Str({"a", "b"}),
               StrScalar("s"), StrScalar("")})
        .Node("histogram", "WriteHistogramSummary",
              {"w", Scalar(DataType::kInt64, 3), StrScalar("h"),
               Vec(DataType::kFloat, {1, 2})})
        .Node("close", "CloseSummaryWriter", {"w"});
  };
  with_db("new", "/tmp/millrace_cases/" + c.op().name + ".db")
      .Run({"file"})
      .Run({"open"})
      .Run({"scalar"})
      .Run({"texts"})
      .Run({"histogram"})
      .Run({"close"});
  with_db("no folder", "/tmp/millrace_cases/there is none/a.db")
      .RunError({"open"}, StatusCode::kInvalidArgument,
                "Sqlite::Open(/tmp/millrace_cases/there is none/a.db) failed: "
                "unable to open database file")
      .RunError({"close"}, StatusCode::kNotFound, "does not exist");
}

MR_CASES(FlushSummaryWriter)(CaseList& c) {
  WithWriter(c.Sequence("flush"), "flush")
      .Node("flush", "FlushSummaryWriter", {"w"})
      .RunError({"flush"}, StatusCode::kNotFound, "does not exist")
      .Run({"open"})
      .Run({"flush"})
      .Run({"flush"});
}

MR_CASES(CloseSummaryWriter)(CaseList& c) {
  WithWriter(c.Sequence("close"), "close")
      .Node("close", "CloseSummaryWriter", {"w"})
      .Node("write", "WriteScalarSummary",
            {"w", Scalar(DataType::kInt64, 3), StrScalar("t"),
             Scalar(DataType::kFloat, 1)})
      .Run({"open"})
      .Run({"write"})
      .Run({"close"})
      .RunError({"write"}, StatusCode::kNotFound, "does not exist")
      .RunError({"close"}, StatusCode::kNotFound, "does not exist");
}

}  // namespace millrace::cases
