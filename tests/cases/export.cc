#include "tests/cases/export.h"

#include <algorithm>

#include "millrace/base/files/file.h"
#include "millrace/graph/graph_proto.h"
#include "tests/cases/bind.h"
#include "tests/cases/compare.h"
#include "tests/cases/json.h"
#include "tests/cases/runner.h"
#include "tests/cases/shapes.h"

namespace millrace::cases {
namespace {

// Stock copies a session's whole graph for each new set of fetches, so graphs
// are kept small.
constexpr int kCasesPerGraph = 32;

std::string Quote(const std::string& s) { return JsonString(s); }

std::string ShapeText(const PartialShape& s) {
  if (!s.known_rank()) return "null";
  return absl::StrCat("[", absl::StrJoin(s.dims(), ","), "]");
}

class Exporter {
 public:
  Exporter(const Suite& suite, std::string folder)
      : suite_(suite), folder_(std::move(folder)), runner_(suite.kernels) {}

  // The first version of graphs without one of the case's ops; 0: none goes.
  int GoneSince(const OpCases& list, const Case& c) const {
    int since = list.op->deprecated_version;
    for (const CaseNode& node : c.nodes) {
      const OpDef* op = suite_.ops->Find(node.op);
      if (op == nullptr || op->deprecated_version == 0) continue;
      since = since == 0 ? op->deprecated_version
                         : std::min(since, op->deprecated_version);
    }
    return since;
  }

  Status Export(const std::string& filter) {
    for (const OpCases& list : suite_.op_cases) {
      if (!filter.empty() && filter != list.family && filter != list.op->name)
        continue;
      for (const auto& c : list.cases) {
        // A graph that stock refuses would take the others with it.
        if (c->options.build_error || GoneSince(list, *c) > 0) {
          MR_RETURN_IF_ERROR(Flush());
          AddCase(list, *c);
          MR_RETURN_IF_ERROR(Flush());
        } else {
          AddCase(list, *c);
          if (static_cast<int>(entries_.size()) >= kCasesPerGraph)
            MR_RETURN_IF_ERROR(Flush());
        }
      }
    }
    return Flush();
  }

 private:
  std::string AddValue(const Tensor& t) {
    if (!t.valid() || t.dtype() == DataType::kResource ||
        t.dtype() == DataType::kVariant) {
      return "null";
    }
    NodeDef node;
    node.name = absl::StrCat("k", values_.nodes.size());
    node.op = "Const";
    node.attrs.Set("dtype", t.dtype());
    node.attrs.Set("value", t);
    values_.nodes.push_back(node);
    return Quote(node.name);
  }

  NodeDef& AddNode(std::string name, std::string op) {
    graph_.nodes.emplace_back();
    graph_.nodes.back().name = std::move(name);
    graph_.nodes.back().op = std::move(op);
    return graph_.nodes.back();
  }

  void AddConst(const std::string& name, const Tensor& value) {
    NodeDef& node = AddNode(name, "Const");
    node.attrs.Set("dtype", value.dtype());
    node.attrs.Set("value", value);
  }

  void AddFeed(const std::string& name, const Tensor& value, Known known) {
    if (known == Known::kValues) return AddConst(name, value);
    NodeDef& node = AddNode(name, "Placeholder");
    node.attrs.Set("dtype", value.dtype());
    node.attrs.Set("shape", known == Known::kShapes
                                ? PartialShape(value.shape())
                                : PartialShape());
  }

  // The variable, the node that gives it its value, and for resources one that
  // reads it.
  void AddVariable(const std::string& name, const BoundVariable& v,
                   bool with_access) {
    NodeDef& node = AddNode(name, v.is_ref ? "VariableV2" : "VarHandleOp");
    node.attrs.Set("dtype", v.value.dtype());
    node.attrs.Set("shape", PartialShape(v.value.shape()));
    node.attrs.Set("shared_name", name);
    if (!with_access) return;
    const char* type_attr = v.is_ref ? "T" : "dtype";
    if (v.initialized) {
      AddConst(absl::StrCat(name, "/value"), v.value);
      NodeDef& assign = AddNode(absl::StrCat(name, "/assign"),
                                v.is_ref ? "Assign" : "AssignVariableOp");
      assign.inputs = {name, absl::StrCat(name, "/value")};
      assign.attrs.Set(type_attr, v.value.dtype());
    }
    if (!v.is_ref) {
      NodeDef& read = AddNode(absl::StrCat(name, "/read"), "ReadVariableOp");
      read.inputs = {name};
      read.attrs.Set("dtype", v.value.dtype());
    }
  }

  // The case's nodes with all names below `prefix`.
  void AddGraph(const std::string& prefix, const BoundCase& c, Known known,
                bool with_access) {
    for (const BoundFeed& feed : c.feeds)
      AddFeed(prefix + feed.name, feed.value, known);
    for (const BoundVariable& v : c.variables)
      AddVariable(prefix + v.name, v, with_access);
    for (const BoundNode& n : c.nodes) {
      NodeDef& node = AddNode(prefix + n.info.name, n.info.op->name);
      node.attrs = n.info.attrs;
      for (const BoundInput& in : n.inputs) {
        const size_t index = static_cast<size_t>(in.index);
        switch (in.kind) {
          case Value::Kind::kFed:
            node.inputs.push_back(prefix + c.feeds[index].name);
            break;
          case Value::Kind::kNode:
            node.inputs.push_back(
                absl::StrCat(prefix, c.nodes[index].info.name, ":", in.port));
            break;
          default:
            node.inputs.push_back(prefix + c.variables[index].name);
        }
      }
      for (int control : n.control_inputs) {
        node.inputs.push_back(absl::StrCat(
            "^", prefix, c.nodes[static_cast<size_t>(control)].info.name));
      }
    }
  }

  // Our static shapes in a second and third copy of the nodes.
  std::string AddShapes(const std::string& id, const BoundCase& c) {
    std::vector<std::string> shapes;
    if (!c.source->options.shape_check) return "[]";
    for (const auto& [known, mark] :
         {std::pair(Known::kValues, "v"), std::pair(Known::kShapes, "s")}) {
      const auto inferred = InferShapes(c, *suite_.ops, known);
      if (!inferred.ok()) continue;
      const std::string prefix = absl::StrCat(id, mark, "/");
      AddGraph(prefix, c, known, false);
      for (size_t n = 0; n < c.nodes.size(); ++n) {
        for (size_t port = 0; port < (*inferred)[n].size(); ++port) {
          shapes.push_back(JsonList(
              {Quote(absl::StrCat(prefix, c.nodes[n].info.name, ":", port)),
               ShapeText((*inferred)[n][port])}));
        }
      }
    }
    return JsonList(shapes);
  }

  std::string RunJson(const std::string& prefix, const BoundCase& c, size_t r,
                      const RunOutcome& outcome) {
    const CaseRun& wanted = c.source->runs[r];
    std::vector<std::string> targets, fetches;
    for (int t : c.runs[r].targets) {
      targets.push_back(
          Quote(prefix + c.nodes[static_cast<size_t>(t)].info.name));
    }
    for (size_t i = 0; i < c.runs[r].fetches.size(); ++i) {
      const auto [node, port] = c.runs[r].fetches[i];
      const NodeInfo& info = c.nodes[static_cast<size_t>(node)].info;
      const DataType type =
          RemoveRef(info.output_types[static_cast<size_t>(port)]);
      if (type == DataType::kResource || type == DataType::kVariant) continue;
      const auto& ignored = c.source->options.ignored_outputs;
      const bool skip = std::find(ignored.begin(), ignored.end(),
                                  static_cast<int>(i)) != ignored.end();
      // Null: no value, since it is dead.
      fetches.push_back(
          JsonList({Quote(absl::StrCat(prefix, info.name, ":", port)),
                    outcome.status.ok() ? AddValue(outcome.fetched[i]) : "null",
                    skip ? "true" : "false"}));
    }
    return JsonObject()
        .Set("targets", JsonList(targets))
        .Set("fetches", JsonList(fetches))
        .SetInt("code", static_cast<int>(wanted.code))
        .SetString("words", wanted.words)
        .SetInt("our_code", static_cast<int>(outcome.status.code()))
        .SetString("our_message", outcome.status.message())
        .text();
  }

  void AddCase(const OpCases& list, const Case& c) {
    const std::string id = absl::StrCat("c", next_id_++);
    const std::string prefix = id + "/";
    const Case::Options& o = c.options;
    JsonObject entry;
    entry.SetString("id", id)
        .SetString("op", list.op->name)
        .SetString("family", list.family);
    entry.SetString("name", o.name).SetString("no_stock", o.no_stock);
    entry.SetString("stock_needs", o.stock_needs)
        .SetString("stock_needs_why", o.stock_needs_why);
    entry.SetString("deviates", o.deviates)
        .SetBool("random", o.random)
        .SetInt("ulp", o.ulp);
    entry.SetBool("has_tolerance", o.has_tolerance)
        .SetNumber("relative", o.relative);
    entry.SetNumber("absolute", o.absolute)
        .SetInt("deprecated", GoneSince(list, c));
    entry.SetBool("build_error", o.build_error)
        .SetString("build_words", o.build_words);
    if (!o.no_stock.empty()) {
      entries_.push_back(entry.text());
      return;
    }
    StatusOr<BoundCase> bound = Bind(c, *suite_.ops, o.build_error);
    if (!bound.ok()) {
      entry.SetString("our_error", bound.status().message());
      entries_.push_back(entry.text());
      return;
    }
    if (o.build_error) {
      AddGraph(prefix, *bound, Known::kValues, false);
      entries_.push_back(entry.text());
      return;
    }
    AddGraph(prefix, *bound, o.known_shapes ? Known::kShapes : Known::kTypes,
             true);
    entry.Set("shapes", AddShapes(id, *bound));
    JsonObject feeds;
    for (const BoundFeed& feed : bound->feeds) {
      feeds.Set(prefix + feed.name + ":0", AddValue(feed.value));
    }
    entry.Set("feeds", feeds.text());

    const CaseOutcome outcome = runner_.Run(*bound, {});
    std::vector<std::string> init, runs, variables;
    for (size_t i = 0; i < bound->variables.size(); ++i) {
      const BoundVariable& v = bound->variables[i];
      if (v.initialized)
        init.push_back(Quote(absl::StrCat(prefix, v.name, "/assign")));
      variables.push_back(JsonList(
          {Quote(absl::StrCat(prefix, v.name, v.is_ref ? ":0" : "/read:0")),
           AddValue(outcome.variables[i])}));
    }
    for (size_t r = 0; r < bound->runs.size(); ++r) {
      runs.push_back(RunJson(prefix, *bound, r, outcome.runs[r]));
    }
    entry.Set("init", JsonList(init)).Set("runs", JsonList(runs));
    entry.Set("variables", JsonList(variables));
    entries_.push_back(entry.text());
  }

  Status Flush() {
    if (entries_.empty()) return OkStatus();
    graph_.versions.producer = kGraphDefVersion;
    values_.versions.producer = kGraphDefVersion;
    const std::string stem = absl::StrFormat("%s/%05d", folder_, next_file_++);
    FileSystem* files = DefaultFiles();
    MR_RETURN_IF_ERROR(
        WriteStringToFile(files, stem + ".graph", SerializeGraphDef(graph_)));
    MR_RETURN_IF_ERROR(
        WriteStringToFile(files, stem + ".values", SerializeGraphDef(values_)));
    MR_RETURN_IF_ERROR(
        WriteStringToFile(files, stem + ".json", JsonList(entries_)));
    graph_ = GraphDef();
    values_ = GraphDef();
    entries_.clear();
    return OkStatus();
  }

  const Suite& suite_;
  const std::string folder_;
  CaseRunner runner_;
  GraphDef graph_, values_;
  std::vector<std::string> entries_;
  int next_id_ = 0;
  int next_file_ = 0;
};

}  // namespace

Status ExportCases(const Suite& suite, const std::string& folder,
                   const std::string& filter) {
  return Exporter(suite, folder).Export(filter);
}

}  // namespace millrace::cases
