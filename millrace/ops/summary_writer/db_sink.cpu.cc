#include "millrace/ops/summary_writer/db_sink.h"

#include <map>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "millrace/base/clock.h"
#include "millrace/base/random.h"
#include "millrace/graph/graph_proto.h"
#include "millrace/ops/database/sqlite_database.h"
#include "millrace/ops/proto/wire_values.h"
#include "millrace/ops/summary_writer/db_schema.h"
#include "millrace/ops/summary_writer/db_value.h"

namespace millrace::ops {
namespace {

double DbNow() { return static_cast<double>(WallMicros()) * 1e-6; }

class DbSink final : public SummarySink {
 public:
  DbSink(SqliteDatabase db, const DbSinkOptions& options)
      : db_(std::move(db)), options_(options) {}

  Status AddSummary(int64_t step, absl::string_view summary) override {
    return InOne([&] { return Summarize(DbNow(), step, summary); });
  }
  Status AddGraph(int64_t, absl::string_view graph) override {
    return InOne([&] { return WriteGraph(DbNow(), graph); });
  }
  Status AddEvent(absl::string_view event) override {
    return InOne([&]() -> Status {
      MR_ASSIGN_OR_RETURN(const DbEvent parts, DbEventOf(event));
      if (!parts.graph.empty()) {
        MR_RETURN_IF_ERROR(WriteGraph(parts.wall_time, parts.graph));
      }
      return Summarize(parts.wall_time, parts.step, parts.summary);
    });
  }
  Status Flush() override { return OkStatus(); }
  Status Close() override {
    if (!run_) return OkStatus();
    return InOne([&]() -> Status {
      MR_ASSIGN_OR_RETURN(
          SqliteStatement update,
          db_.Prepare("UPDATE Runs SET finished_time = ? WHERE run_id = ?"));
      update.BindDouble(1, DbNow());
      update.BindInt(2, *run_);
      return update.Run();
    });
  }

 private:
  // Runs `f` as one transaction.
  template <class F>
  Status InOne(F f) {
    MR_RETURN_IF_ERROR(db_.Execute("BEGIN IMMEDIATE"));
    Status status = f();
    if (status.ok()) status = db_.Execute("COMMIT");
    if (status.ok()) return status;
    // What was found and made in the transaction may not be there.
    (void)db_.Execute("ROLLBACK");
    run_.reset();
    tags_.clear();
    return status;
  }

  // Returns a number that nothing else in the database has.
  StatusOr<int64_t> NewId() {
    constexpr int kAttempts = 20;
    for (int attempt = 0;; ++attempt) {
      // Short numbers as long as they are free.
      const int bits = attempt < kAttempts / 2 ? 23 : 46;
      const auto id = static_cast<int64_t>(RandomUint64() >> (64 - bits));
      if (id == 0) continue;
      MR_ASSIGN_OR_RETURN(SqliteStatement insert,
                          db_.Prepare("INSERT INTO Ids (id) VALUES (?)"));
      insert.BindInt(1, id);
      const Status status = insert.Run();
      if (status.ok()) return id;
      if (status.code() != StatusCode::kInvalidArgument ||
          attempt == kAttempts) {
        return status;
      }
    }
  }

  // Returns the first column of the first row of a query by a parent's id, if
  // there is one, and a name; none if there is no row.
  StatusOr<std::optional<int64_t>> FindId(const char* query,
                                          std::optional<int64_t> parent,
                                          const std::string& name) {
    MR_ASSIGN_OR_RETURN(SqliteStatement find, db_.Prepare(query));
    if (parent) find.BindInt(1, *parent);
    find.BindText(2, name);
    MR_ASSIGN_OR_RETURN(const bool found, find.Step());
    if (!found) return std::optional<int64_t>();
    return std::optional<int64_t>(find.Int(0));
  }

  StatusOr<std::optional<int64_t>> FindUser(double time) {
    if (options_.user.empty()) return std::optional<int64_t>();
    MR_ASSIGN_OR_RETURN(
        std::optional<int64_t> id,
        FindId("SELECT user_id FROM Users WHERE ?1 IS NULL AND user_name = ?2",
               std::nullopt, options_.user));
    if (id) return id;
    MR_ASSIGN_OR_RETURN(id, NewId());
    MR_ASSIGN_OR_RETURN(
        SqliteStatement insert,
        db_.Prepare("INSERT INTO Users (user_id, user_name, inserted_time) "
                    "VALUES (?, ?, ?)"));
    insert.BindInt(1, *id);
    insert.BindText(2, options_.user);
    insert.BindDouble(3, time);
    MR_RETURN_IF_ERROR(insert.Run());
    return id;
  }

  StatusOr<std::optional<int64_t>> FindExperiment(double time) {
    if (options_.experiment.empty()) return std::optional<int64_t>();
    MR_ASSIGN_OR_RETURN(const std::optional<int64_t> user, FindUser(time));
    MR_ASSIGN_OR_RETURN(
        std::optional<int64_t> id,
        FindId("SELECT experiment_id FROM Experiments WHERE user_id IS ? AND "
               "experiment_name = ?",
               user, options_.experiment));
    if (!id) {
      MR_ASSIGN_OR_RETURN(id, NewId());
      MR_ASSIGN_OR_RETURN(
          SqliteStatement insert,
          db_.Prepare("INSERT INTO Experiments (user_id, experiment_id, "
                      "experiment_name, inserted_time, started_time, "
                      "is_watching) VALUES (?, ?, ?, ?, ?, 0)"));
      if (user) insert.BindInt(1, *user);
      insert.BindInt(2, *id);
      insert.BindText(3, options_.experiment);
      insert.BindDouble(4, time);
      insert.BindDouble(5, time);
      MR_RETURN_IF_ERROR(insert.Run());
    }
    return id;
  }

  // Finds or makes the run, and lets it and its experiment begin at `time` if
  // they began later.
  Status StartRun(double time) {
    MR_ASSIGN_OR_RETURN(const std::optional<int64_t> experiment,
                        FindExperiment(time));
    if (!run_) {
      MR_ASSIGN_OR_RETURN(
          run_, FindId("SELECT run_id FROM Runs WHERE experiment_id IS ? AND "
                       "run_name = ?",
                       experiment, options_.run));
    }
    if (!run_) {
      MR_ASSIGN_OR_RETURN(run_, NewId());
      MR_ASSIGN_OR_RETURN(
          SqliteStatement insert,
          db_.Prepare("INSERT INTO Runs (experiment_id, run_id, run_name, "
                      "inserted_time, started_time) VALUES (?, ?, ?, ?, ?)"));
      if (experiment) insert.BindInt(1, *experiment);
      insert.BindInt(2, *run_);
      if (!options_.run.empty()) insert.BindText(3, options_.run);
      insert.BindDouble(4, DbNow());
      insert.BindDouble(5, time);
      MR_RETURN_IF_ERROR(insert.Run());
    }
    MR_RETURN_IF_ERROR(Began(
        "UPDATE Runs SET started_time = min(started_time, ?) WHERE run_id = ?",
        time, *run_));
    if (!experiment) return OkStatus();
    return Began(
        "UPDATE Experiments SET started_time = min(started_time, ?) WHERE "
        "experiment_id = ?",
        time, *experiment);
  }

  Status Began(const char* sql, double time, int64_t id) {
    MR_ASSIGN_OR_RETURN(SqliteStatement update, db_.Prepare(sql));
    update.BindDouble(1, time);
    update.BindInt(2, id);
    return update.Run();
  }

  Status Summarize(double time, int64_t step, absl::string_view summary) {
    MR_ASSIGN_OR_RETURN(const std::vector<DbValue> values, DbValuesOf(summary));
    if (values.empty()) return OkStatus();
    MR_RETURN_IF_ERROR(StartRun(time));
    for (const DbValue& value : values) {
      MR_ASSIGN_OR_RETURN(const int64_t series, FindTag(value));
      MR_RETURN_IF_ERROR(WriteTensor(series, step, time, value.tensor));
    }
    return OkStatus();
  }

  StatusOr<int64_t> FindTag(const DbValue& value) {
    const auto known = tags_.find(value.tag);
    if (known != tags_.end()) return known->second;
    MR_ASSIGN_OR_RETURN(
        std::optional<int64_t> id,
        FindId("SELECT tag_id FROM Tags WHERE run_id IS ? AND tag_name = ?",
               run_, value.tag));
    if (!id) {
      MR_ASSIGN_OR_RETURN(id, NewId());
      MR_ASSIGN_OR_RETURN(
          SqliteStatement describe,
          db_.Prepare(
              "INSERT INTO Descriptions (id, description) VALUES (?, ?)"));
      describe.BindInt(1, *id);
      describe.BindText(2, value.description);
      MR_RETURN_IF_ERROR(describe.Run());
      MR_ASSIGN_OR_RETURN(
          SqliteStatement insert,
          db_.Prepare("INSERT INTO Tags (run_id, tag_id, inserted_time, "
                      "tag_name, display_name, plugin_name, plugin_data) "
                      "VALUES (?, ?, ?, ?, ?, ?, ?)"));
      insert.BindInt(1, *run_);
      insert.BindInt(2, *id);
      insert.BindDouble(3, DbNow());
      insert.BindText(4, value.tag);
      insert.BindText(5, value.display_name);
      insert.BindText(6, value.plugin);
      insert.BindBlob(7, value.plugin_data);
      MR_RETURN_IF_ERROR(insert.Run());
    }
    // Tags come from outside, and memory does not.
    constexpr size_t kMostTags = 10000;
    if (tags_.size() >= kMostTags) tags_.clear();
    tags_[value.tag] = *id;
    return *id;
  }

  Status WriteTensor(int64_t series, int64_t step, double time,
                     const Tensor& t) {
    if (!IsPlain(t.dtype()) && t.dtype() != DataType::kString) {
      return InvalidArgument("a tensor of ", DataTypeName(t.dtype()),
                             " cannot be kept in a database");
    }
    MR_ASSIGN_OR_RETURN(
        SqliteStatement insert,
        db_.Prepare("INSERT OR REPLACE INTO Tensors (series, step, dtype, "
                    "computed_time, shape, data) VALUES (?, ?, ?, ?, ?, ?)"));
    insert.BindInt(1, series);
    insert.BindInt(2, step);
    insert.BindInt(3, static_cast<int64_t>(t.dtype()));
    insert.BindDouble(4, time);
    insert.BindText(5, absl::StrJoin(t.shape().dims(), ","));
    const bool is_text = t.dtype() == DataType::kString;
    if (is_text && t.rank() == 0) {
      insert.BindBlob(6, t.scalar<StringElement>().view());
    } else if (!is_text) {
      insert.BindBlob(6, {t.data(), t.size_bytes()});
    }
    MR_RETURN_IF_ERROR(insert.Run());
    if (!is_text || t.rank() == 0) return OkStatus();
    MR_ASSIGN_OR_RETURN(
        const std::optional<int64_t> row,
        FindId("SELECT last_insert_rowid() WHERE ?1 IS NULL OR ?2 IS NULL",
               std::nullopt, ""));
    int64_t index = 0;
    for (const StringElement& text : t.flat<StringElement>()) {
      MR_ASSIGN_OR_RETURN(
          SqliteStatement part,
          db_.Prepare("INSERT OR REPLACE INTO TensorStrings (tensor_rowid, "
                      "idx, data) VALUES (?, ?, ?)"));
      part.BindInt(1, *row);
      part.BindInt(2, index++);
      part.BindBlob(3, text.view());
      MR_RETURN_IF_ERROR(part.Run());
    }
    return OkStatus();
  }

  Status WriteGraph(double time, absl::string_view bytes) {
    StatusOr<GraphDef> graph = ParseGraphDef(bytes);
    if (!graph.ok()) {
      return DataLoss("Bad tf.GraphDef binary proto tensor string");
    }
    MR_RETURN_IF_ERROR(StartRun(time));
    MR_ASSIGN_OR_RETURN(const int64_t id, NewId());
    std::map<std::string, int64_t> numbers;
    for (const NodeDef& node : graph->nodes) {
      numbers.emplace(node.name, static_cast<int64_t>(numbers.size()));
    }
    int64_t number = 0;
    for (NodeDef& node : graph->nodes) {
      MR_RETURN_IF_ERROR(WriteNode(id, number++, numbers, std::move(node)));
    }
    graph->nodes.clear();
    MR_ASSIGN_OR_RETURN(
        SqliteStatement insert,
        db_.Prepare("INSERT INTO Graphs (run_id, graph_id, inserted_time, "
                    "graph_def) VALUES (?, ?, ?, ?)"));
    insert.BindInt(1, *run_);
    insert.BindInt(2, id);
    insert.BindDouble(3, DbNow());
    insert.BindBlob(4, SerializeGraphDef(*graph));
    return insert.Run();
  }

  Status WriteNode(int64_t graph, int64_t number,
                   const std::map<std::string, int64_t>& numbers,
                   NodeDef node) {
    MR_ASSIGN_OR_RETURN(
        SqliteStatement insert,
        db_.Prepare("INSERT INTO Nodes (graph_id, node_id, node_name, op, "
                    "device, node_def) VALUES (?, ?, ?, ?, ?, ?)"));
    insert.BindInt(1, graph);
    insert.BindInt(2, number);
    insert.BindText(3, node.name);
    insert.BindText(4, node.op);
    insert.BindText(5, node.device);
    int64_t index = 0;
    for (const std::string& input : node.inputs) {
      absl::string_view source = input;
      const bool control = absl::ConsumePrefix(&source, "^");
      int64_t port = control ? -1 : 0;
      const size_t colon = source.rfind(':');
      if (colon != absl::string_view::npos &&
          absl::SimpleAtoi(source.substr(colon + 1), &port)) {
        source = source.substr(0, colon);
      }
      const auto found = numbers.find(std::string(source));
      if (found == numbers.end()) {
        return InvalidArgument(
            "node ", node.name,
            " has an input that is not in the graph: ", input);
      }
      MR_ASSIGN_OR_RETURN(
          SqliteStatement edge,
          db_.Prepare("INSERT INTO NodeInputs (graph_id, node_id, idx, "
                      "input_node_id, input_node_idx, is_control) VALUES (?, "
                      "?, ?, ?, ?, ?)"));
      edge.BindInt(1, graph);
      edge.BindInt(2, number);
      edge.BindInt(3, index++);
      edge.BindInt(4, found->second);
      edge.BindInt(5, port);
      edge.BindInt(6, control ? 1 : 0);
      MR_RETURN_IF_ERROR(edge.Run());
    }
    // The attributes alone, as a NodeDef.
    GraphDef one;
    one.nodes.push_back({.attrs = std::move(node.attrs)});
    const std::string bytes = SerializeGraphDef(one);
    absl::string_view rest = bytes;
    WireTag tag;
    WireContent content;
    if (!TakeTag(&rest, &tag) || !TakeContent(tag, &rest, &content)) {
      return Internal("a node does not encode");
    }
    insert.BindBlob(6, content.bytes);
    return insert.Run();
  }

  SqliteDatabase db_;
  const DbSinkOptions options_;
  std::optional<int64_t> run_;
  std::map<std::string, int64_t> tags_;  // ids by name
};

}  // namespace

StatusOr<std::unique_ptr<SummarySink>> OpenDbSink(
    FileSystem* files, const DbSinkOptions& options) {
  MR_ASSIGN_OR_RETURN(SqliteDatabase db,
                      SqliteDatabase::Open(files, options.path,
                                           SqliteDatabase::Access::kWrite));
  for (const char* const table : kDbSchema) {
    MR_RETURN_IF_ERROR(db.Execute(table));
  }
  return std::unique_ptr<SummarySink>(
      std::make_unique<DbSink>(std::move(db), options));
}

}  // namespace millrace::ops
