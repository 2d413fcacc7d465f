// Pinning operations to tasks: by hand, by a function of the operation, and by
// blocks inside blocks.
#include <cstdio>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "examples/distributed_cpp/examples.h"
#include "millrace/millrace.h"

namespace millrace::distributed {
namespace {

std::string VariablesOnPs(const Node& node) {
  const bool is_variable = absl::StartsWith(node.op->name, "Variable") ||
                           node.op->name == "VarHandleOp";
  return is_variable ? "/job:ps/task:0" : "/job:worker/task:1";
}

}  // namespace

Status Pinning(const Cluster& cluster) {
  const Scope root = cluster.NewGraph();
  const Scope ps1 = root.WithDevice("/job:ps/task:1/cpu:0");
  const ops::Variable a(ps1.WithOpName("a"), 3.0f);
  const Output b = ops::Const(ps1.WithOpName("b"), 4.0f);

  const Scope by_kind = root.WithDevice(VariablesOnPs);
  const ops::Variable c(by_kind.WithOpName("c"), 5.0f);
  const Output d = ops::Mul(by_kind.WithOpName("d"), c, 2.0f);

  // An inner block completes or overrides the outer one; WithoutDevices takes
  // everything back.
  const Scope worker0 = root.WithDevice("/job:worker/task:0");
  const Output e =
      ops::AddV2(worker0.WithDevice("/cpu:0").WithOpName("e"), a, b);
  const Output f =
      ops::AddV2(worker0.WithDevice("/job:ps/task:0").WithOpName("f"), e, d);
  const Output g = ops::Square(
      worker0.WithoutDevices().WithDevice("/job:worker/task:1").WithOpName("g"),
      f);
  {
    Session session(root, cluster.Master());
    MR_RETURN_IF_ERROR(
        session.RunTargets({ops::GlobalVariablesInitializer(root)}));
    MR_ASSIGN_OR_RETURN(const auto values, session.Run({g}));
    std::printf("g = %g\n", values[0].scalar<float>());
    MR_ASSIGN_OR_RETURN(const auto where, Placement(session, {g}));
    for (const char* name : {"a", "c", "d", "e", "f", "g"}) {
      std::printf("%s is on %s\n", name, where.at(name).c_str());
    }
  }

  // Soft placement takes a device of another kind where the wished one has no
  // kernel or is not there.
  const Output i = ops::AddV2(
      root.WithDevice("/job:worker/task:1/gpu:0").WithOpName("i"), a, 1.0f);
  {
    SessionOptions soft = cluster.Master();
    soft.config.allow_soft_placement = true;
    Session session(root, soft);
    MR_ASSIGN_OR_RETURN(const auto where, Placement(session, {i}));
    std::printf("i is on %s\n", where.at("i").c_str());
  }

  // A device that does not exist is an error that names the operation. A whole
  // graph is placed, so this one is in a graph of its own.
  const Scope other = cluster.NewGraph();
  const Output h =
      ops::Neg(other.WithDevice("/job:worker/task:77").WithOpName("h"),
               ops::Const(other, 1.0f));
  Session session(other, cluster.Master());
  const Status status = session.Run({h}).status();
  const std::string message(status.message());
  const std::vector<std::string> words = absl::StrSplit(message, " for");
  std::printf("%s for operation %s\n", words[0].c_str(),
              FailedNode(status).c_str());
  return OkStatus();
}

}  // namespace millrace::distributed
