#include "millrace/pass/join_units.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "millrace/pass/start_sources.h"

namespace millrace {
namespace {

// Units of one level, device and set of sources may be joined. The level of a
// unit is the number of edges on the longest path to it that are not between
// units of its device: a path that leaves the units of a level does not return
// to them, so joining all units that are connected within a level closes no
// cycle. Sources only grow along a path, so nodes between two units with the
// same sources have them, too.
class UnitJoiner {
 public:
  UnitJoiner(const Graph& graph, const std::vector<NodeId>& order,
             const NodeUnits& units)
      : graph_(graph),
        order_(order),
        units_(units),
        sources_(graph, order),
        levels_(static_cast<size_t>(graph.num_ids()), 0),
        joined_(units.units.size()) {
    for (size_t u = 0; u < joined_.size(); ++u) {
      joined_[u] = static_cast<int32_t>(u);
    }
  }

  std::vector<std::vector<int32_t>> Run(size_t max_members) {
    std::vector<int32_t> in_order;
    for (const NodeId id : order_) {
      const int32_t unit = UnitOf(id);
      if (unit == NodeUnits::kNone) {
        levels_[static_cast<size_t>(id)] = LevelOf({&id, 1}, unit);
      } else if (id == Members(unit).back()) {
        levels_[static_cast<size_t>(id)] = LevelOf(Members(unit), unit);
        Connect(unit);
        in_order.push_back(unit);
      }
    }
    return Lists(in_order, max_members);
  }

 private:
  int32_t UnitOf(NodeId id) const {
    return units_.of_node[static_cast<size_t>(id)];
  }
  const std::vector<NodeId>& Members(int32_t unit) const {
    return units_.units[static_cast<size_t>(unit)];
  }
  const Node& Last(int32_t unit) const {
    return *graph_.node(Members(unit).back());
  }

  int LevelOf(absl::Span<const NodeId> members, int32_t unit) const {
    int level = 0;
    for (const NodeId id : members) {
      const Node& node = *graph_.node(id);
      for (const OutputRef& in : node.inputs) {
        const Node& from = *graph_.node(in.node);
        const int32_t other = UnitOf(in.node);
        if (IsBackEdge(from, node) ||
            (unit != NodeUnits::kNone && other == unit)) {
          continue;
        }
        const bool within = unit != NodeUnits::kNone &&
                            other != NodeUnits::kNone &&
                            from.assigned_device == node.assigned_device;
        level =
            std::max(level, levels_[static_cast<size_t>(in.node)] + !within);
      }
      for (const NodeId wait : node.control_inputs) {
        level = std::max(level, levels_[static_cast<size_t>(wait)] + 1);
      }
    }
    return level;
  }

  // Returns whether a value may have the size of the values computed from it,
  // and is not one that many parts of a graph share: constants, variables,
  // feeds.
  bool IsComputed(const Node& node) const {
    return !node.inputs.empty() && !node.op->Is(kStateful) &&
           !IsControlFlow(node.op->role) && node.op->law != Law::kPassesOn;
  }

  bool MayJoin(int32_t a, int32_t b) const {
    const Node &x = Last(a), &y = Last(b);
    return levels_[static_cast<size_t>(x.id)] ==
               levels_[static_cast<size_t>(y.id)] &&
           sources_.Of(x.id) == sources_.Of(y.id) &&
           x.assigned_device == y.assigned_device;
  }

  // Connects a unit with the earlier units that it may be joined with.
  void Connect(int32_t unit) {
    if (sources_.Of(Last(unit).id) == StartSources::kUnknown) return;
    for (const NodeId id : Members(unit)) {
      for (const OutputRef& in : graph_.node(id)->inputs) {
        const int32_t other = UnitOf(in.node);
        if (other == unit) continue;
        if (other != NodeUnits::kNone && MayJoin(unit, other)) {
          Join(unit, other);
        }
        const Node& from = *graph_.node(in.node);
        if (!IsComputed(from)) continue;
        const Reading reading = {in,
                                 levels_[static_cast<size_t>(Last(unit).id)],
                                 sources_.Of(Last(unit).id)};
        const auto [it, added] = readers_.try_emplace(reading, unit);
        if (!added && MayJoin(unit, it->second)) Join(unit, it->second);
      }
    }
  }

  int32_t Root(int32_t unit) {
    while (joined_[static_cast<size_t>(unit)] != unit) {
      int32_t& up = joined_[static_cast<size_t>(unit)];
      up = joined_[static_cast<size_t>(up)];
      unit = up;
    }
    return unit;
  }
  void Join(int32_t a, int32_t b) {
    joined_[static_cast<size_t>(Root(a))] = Root(b);
  }

  // If there are too many units for one list, the next list begins: edges lead
  // only from earlier lists to later ones.
  std::vector<std::vector<int32_t>> Lists(const std::vector<int32_t>& in_order,
                                          size_t max_members) {
    struct Open {
      size_t list;
      size_t members = 0;
    };
    std::vector<std::vector<int32_t>> lists;
    absl::flat_hash_map<int32_t, Open> open;
    for (const int32_t unit : in_order) {
      const auto [it, added] = open.try_emplace(Root(unit));
      Open& last = it->second;
      const size_t members = Members(unit).size();
      if (added || last.members + members > max_members) {
        last = {lists.size()};
        lists.emplace_back();
      }
      lists[last.list].push_back(unit);
      last.members += members;
    }
    return lists;
  }

  // An output that units of one level with the same sources read.
  using Reading = std::tuple<OutputRef, int, int32_t>;

  const Graph& graph_;
  const std::vector<NodeId>& order_;
  const NodeUnits& units_;
  const StartSources sources_;
  std::vector<int> levels_;      // by node; a unit has that of its last node
  std::vector<int32_t> joined_;  // by unit: another one of its list, or itself
  absl::flat_hash_map<Reading, int32_t> readers_;
};

}  // namespace

std::vector<std::vector<int32_t>> JoinUnits(const Graph& graph,
                                            const std::vector<NodeId>& order,
                                            const NodeUnits& units,
                                            size_t max_members) {
  return UnitJoiner(graph, order, units).Run(max_members);
}

}  // namespace millrace
