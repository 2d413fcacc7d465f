#include "millrace/ops/data/elements.cases.h"

namespace millrace::cases {
namespace {

// Below no folder, so that neither side leaves files behind.
constexpr char kNowhere[] = "/dev/null/snapshots";

Case& Snapshot(CaseList& c, std::string name, AttrMap attrs) {
  return WithRange(c, std::move(name), 6)
      .Node("op", "SnapshotDataset", {"range", StrScalar(kNowhere)},
            std::move(attrs));
}

Case& FirstElement(Case& c, StatusCode code, std::string words) {
  return WithIterator(c, "op", Numbers())
      .RunError({"next"}, code, std::move(words));
}

}  // namespace

// test_snapshots.py writes and reads files.
MR_CASES(SnapshotDataset)(CaseList& c) {
  const AttrMap passing = With(Numbers(), "mode", "passthrough");
  TwiceInARow(Snapshot(c, "passes", passing));
  for (const char* compression : {"GZIP", "SNAPPY"}) {
    Elements(Snapshot(c, absl::StrCat("passes_", compression),
                      With(passing, "compression", compression)),
             "op", Numbers(), 6);
  }
  Elements(Snapshot(c, "defaults",
                    With(With(passing, "pending_snapshot_expiry_seconds", -1),
                         "shard_size_bytes", -1)),
           "op", Numbers(), 6);
  Snapshot(c, "cardinality", Numbers())
      .Node("size", "DatasetCardinality", {"op"})
      .Run({"size"});

  FirstElement(Snapshot(c, "nothing_to_read", With(Numbers(), "mode", "read")),
               StatusCode::kNotFound, "Metadata file does not exist.");
  FirstElement(Snapshot(c, "no_folder", With(Numbers(), "mode", "write")),
               StatusCode::kFailedPrecondition, "");
  NoDataset(Snapshot(c, "no_such_mode", With(Numbers(), "mode", "append")),
            "mode must be either 'auto', 'read', 'write', or 'passthrough'.");
  NoDataset(
      Snapshot(c, "no_such_compression", With(passing, "compression", "ZLIB")),
      "compression must be either '', 'GZIP' or 'SNAPPY'.");
  for (const int seconds : {0, -5}) {
    NoDataset(Snapshot(c, absl::StrCat("expires_after_", seconds),
                       With(passing, "pending_snapshot_expiry_seconds",
                            int64_t{seconds})),
              "pending_snapshot_expiry_seconds must be at least 1 second.");
  }
}

}  // namespace millrace::cases
