#include "millrace/ops/data/elements.cases.h"

namespace millrace::cases {
namespace {

AttrMap Columns(const TypeList& types) {
  return ElementsOf(types, ShapeList(types.size(), PartialShape({})));
}

class Queries {
 public:
  explicit Queries(CaseList& c) : c_(c) {}

  // The file is empty, which is a database without tables.
  Case& Add(const std::string& name, const char* query, const TypeList& types,
            const char* driver = "sqlite") {
    const std::string file = "/tmp/millrace_cases/" + c_.op().name + ".db";
    return c_.Sequence(name)
        .Node("write", "WriteFile", {StrScalar(file), StrScalar("")})
        .Node("op", c_.op().name,
              {StrScalar(driver), StrScalar(file), StrScalar(query)},
              Columns(types))
        .Run({"write"});
  }
  void Rows(const std::string& name, const char* query, const TypeList& types,
            int count) {
    Elements(Add(name, query, types), "op", Columns(types), count);
  }
  Case& Error(const std::string& name, const char* query, const TypeList& types,
              StatusCode code, const char* words) {
    return WithIterator(Add(name, query, types), "op", Columns(types))
        .RunError({"next"}, code, words);
  }

 private:
  CaseList& c_;
};

void SqlQueries(CaseList& c) {
  using T = DataType;
  Queries q(c);
  const char* const rows =
      "values (1, 'x', 1.5, x'00ff'), (-2, null, null, null), (300, '12abc', "
      "2.9, '7'), (9223372036854775807, '', 1e300, 3.7)";
  q.Rows("plain", rows, {T::kInt64, T::kString, T::kDouble, T::kString}, 4);
  q.Rows("texts", rows, {T::kString, T::kString, T::kString, T::kString}, 4);
  q.Rows("doubles", rows, {T::kDouble, T::kDouble, T::kDouble, T::kDouble}, 4);
  q.Rows("small", rows, {T::kBool, T::kInt8, T::kUint8, T::kInt16}, 4);
  q.Rows("wide", rows, {T::kUint16, T::kInt32, T::kInt64, T::kString}, 4);
  q.Rows("none", "select 1 where 0", {T::kInt64}, 0);
  q.Rows("two queries", "select 1; select 2", {T::kInt64}, 1);
  q.Error("few", rows, {T::kInt64, T::kString}, kInvalid,
          "The number of columns in query (4) must match the number of "
          "elements in output_types (2).");
  q.Error("empty", "", {T::kInt64}, kInvalid,
          "The number of columns in query (0) must match the number of "
          "elements in output_types (1).");
  q.Error("no table", "select a from t", {T::kInt64}, StatusCode::kUnknown,
          "Prepare() failed: [1] no such table: t: select a from t");
  q.Error("no query", "nonsense", {T::kInt64}, StatusCode::kUnknown,
          "Prepare() failed: [1] near \"nonsense\": syntax error: nonsense");
  const char* const reason = "stock's queries may reach other files";
  q.Error("pragma", "pragma user_version", {T::kInt64},
          StatusCode::kPermissionDenied, "not authorized")
      .NoStock(reason);
  q.Error("attach", "attach database '/tmp/millrace_cases/other.db' as other",
          {T::kInt64}, StatusCode::kPermissionDenied, "not authorized")
      .NoStock(reason);
  q.Add("driver", "select 1", {T::kInt64}, "mysql")
      .RunError({"op"}, kInvalid,
                "The database type, mysql, is not supported by SqlDataset. The "
                "set of supported databases is: {'sqlite'}.");
  q.Add("type", "select 1", {T::kFloat})
      .RunError({"op"}, kInvalid,
                "Each element of `output_types_` must be one of: DT_STRING, ");
}

}  // namespace

MR_CASES(SqlDataset)(CaseList& c) { SqlQueries(c); }
MR_CASES(ExperimentalSqlDataset)(CaseList& c) { SqlQueries(c); }

}  // namespace millrace::cases
