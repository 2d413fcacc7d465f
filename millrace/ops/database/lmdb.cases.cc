#include "millrace/ops/data/elements.cases.h"
#include "millrace/ops/database/lmdb_file.cases.h"

namespace millrace::cases {
namespace {

void LmdbRows(CaseList& c) {
  const AttrMap pairs = ElementsOf({DataType::kString, DataType::kString},
                                   {PartialShape({}), PartialShape({})});
  const std::string file = "/tmp/millrace_cases/" + c.op().name + "/a.mdb";
  const std::string bytes =
      SmallLmdb({{"a", "1"}, {"b", ""}, {"c", std::string(900, 'x')}});
  Elements(c.Sequence("rows")
               .Node("write", "WriteFile", {StrScalar(file), StrScalar(bytes)})
               .Node("op", c.op().name, {Str({file, file})}, pairs)
               .Run({"write"}),
           "op", pairs, 6)
      .NoStock(kNoLmdb);
  WithIterator(c.Sequence("no file").Node(
                   "op", c.op().name,
                   {StrScalar("/tmp/millrace_cases/there_is_none.mdb")}, pairs),
               "op", pairs)
      .RunError({"next"}, StatusCode::kInvalidArgument,
                "No such file or directory")
      .NoStock(kNoLmdb);
}

}  // namespace

MR_CASES(LMDBDataset)(CaseList& c) { LmdbRows(c); }
MR_CASES(ExperimentalLMDBDataset)(CaseList& c) { LmdbRows(c); }

}  // namespace millrace::cases
