// Tests of graph rewriting run sessions with the same graph, rewritten and
// unchanged.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "millrace/base/random.h"
#include "millrace/device/devices.h"
#include "millrace/session/local_session.h"
#include "millrace/session/testing/all_tables.h"

namespace millrace {

// Builds a graph in few words; `T` is set for the nodes that have it.
class GraphText {
 public:
  GraphText& Add(const std::string& name, const std::string& op,
                 std::vector<std::string> inputs = {}, AttrMap attrs = {}) {
    const OpDef* schema = TablesOfAll().ops->Find(op);
    MR_CHECK(schema != nullptr, "no op ", op);
    if (schema->FindAttr("T") != nullptr && attrs.Find("T") == nullptr) {
      attrs.Set("T", DataType::kFloat);
    }
    def_.nodes.push_back({name, op, std::move(inputs), "", std::move(attrs)});
    return *this;
  }
  GraphText& Const(const std::string& name, Tensor value) {
    const DataType type = value.dtype();
    return Add(name, "Const", {},
               AttrMap({{"dtype", type}, {"value", std::move(value)}}));
  }
  GraphText& Placeholder(const std::string& name,
                         DataType type = DataType::kFloat) {
    return Add(name, "Placeholder", {}, AttrMap({{"dtype", type}}));
  }
  const GraphDef& def() const { return def_; }

 private:
  GraphDef def_;
};

inline std::unique_ptr<LocalSession> SessionOf(const GraphText& graph,
                                               const GraphOptions& rewriting) {
  LocalSessionOptions options;
  options.ops = TablesOfAll().ops.get();
  options.kernels = &TablesOfAll().kernels;
  options.config.graph_options = rewriting;
  auto devices = MakeDevices(DeviceOptions(), "localhost", 0);
  MR_CHECK(devices.ok(), devices.status().message());
  options.devices = *std::move(devices);
  auto session = LocalSession::Create(std::move(options));
  MR_CHECK(session.ok(), session.status().message());
  const Status extended = (*session)->Extend(graph.def());
  MR_CHECK(extended.ok(), extended.message());
  return *std::move(session);
}

inline GraphOptions Off() {
  GraphOptions options;
  options.rewrite_options.disable_meta_optimizer = true;
  return options;
}

struct Ran {
  Status status;
  std::vector<Tensor> values;
  // The labels of the nodes with kernels in the trace, without their inputs.
  std::vector<std::string> labels;
};

// Returns "" for a node that the executor handles itself.
inline std::string LabelOfKernel(const NodeExecStats& node) {
  const std::string& label = node.timeline_label;
  const size_t op = label.find(" = ") + 3;
  const size_t inputs = label.find('(', op);
  const std::string name = label.substr(op, inputs - op);
  for (const char* light : {"NoOp", "Const", "_Arg", "_Retval", "Merge"}) {
    if (name == light) return "";
  }
  return label.substr(0, inputs) + "()";
}

inline Ran RunSession(LocalSession& session,
                      const std::map<std::string, Tensor>& feeds,
                      std::vector<std::string> fetches) {
  LocalSession::RunRequest request;
  request.feeds.assign(feeds.begin(), feeds.end());
  request.fetches = std::move(fetches);
  request.options.trace_level = TraceLevel::kFull;
  Ran ran;
  RunMetadata metadata;
  ran.status = session.Run(request, &ran.values, &metadata);
  for (const auto& device : metadata.step_stats.dev_stats) {
    for (const auto& node : device.node_stats) {
      std::string label = LabelOfKernel(node);
      if (!label.empty()) ran.labels.push_back(std::move(label));
    }
  }
  return ran;
}

// Runs the same graph with all rewriting on and with all rewriting off.
class RewritingTest : public testing::Test {
 protected:
  Ran Run(const std::map<std::string, Tensor>& feeds,
          const std::vector<std::string>& fetches) {
    Ran plain = RunSession(*SessionOf(g_, Off()), feeds, fetches);
    Ran rewritten = RunSession(*SessionOf(g_, GraphOptions()), feeds, fetches);
    EXPECT_EQ(plain.status, rewritten.status);
    EXPECT_EQ(plain.values.size(), rewritten.values.size());
    for (size_t i = 0; i < plain.values.size(); ++i) {
      EXPECT_TRUE(IdenticalTensors(plain.values[i], rewritten.values[i]))
          << fetches[i] << ": " << plain.values[i].DebugString() << " and "
          << rewritten.values[i].DebugString();
    }
    for (const std::string& label : plain.labels) {
      EXPECT_THAT(label, testing::Not(testing::HasSubstr("_Fused")));
    }
    return rewritten;
  }
  GraphText g_;
};

inline Tensor Numbers(TensorShape shape, Rng& random, DataType type) {
  Tensor t = Tensor::New(type, std::move(shape));
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    const double x = static_cast<double>(random.Uniform(2001)) / 250.0 - 4.0;
    if (type == DataType::kDouble) {
      t.mutable_flat<double>()[static_cast<size_t>(i)] = x;
    } else if (type == DataType::kHalf) {
      t.mutable_flat<Half>()[static_cast<size_t>(i)] =
          Half(static_cast<float>(x));
    } else if (type == DataType::kInt32) {
      t.mutable_flat<int32_t>()[static_cast<size_t>(i)] =
          static_cast<int32_t>(x);
    } else {
      t.mutable_flat<float>()[static_cast<size_t>(i)] = static_cast<float>(x);
    }
  }
  return t;
}

}  // namespace millrace
