// Beam search over sequences of labels (Graves, "Supervised sequence labelling
// with recurrent neural networks", 2012, chapter 7.5.2).
#pragma once

#include <cstdint>
#include <vector>

#include "millrace/base/memory/memory_charge.h"
#include "millrace/base/status.h"
#include "millrace/ops/ctc/alignment.h"
#include "millrace/ops/ctc/beam.h"

namespace millrace::ops {

// A path that the search found.
template <class T>
struct FoundPath {
  std::vector<int64_t> labels;
  T log_probability = 0;
};

// Searches one sequence: a step at a time, then the paths. The last class is
// the blank. For one thread.
template <class T>
class BeamSearch {
 public:
  BeamSearch(int64_t classes, int64_t beam_width)
      : classes_(classes), width_(beam_width), beam_(beam_width) {}

  // Begins with the empty path. Returns RESOURCE_EXHAUSTED if there is no
  // memory.
  Status Start();
  // Takes the logits of a step, of all classes.
  Status Step(const T* logits);
  // Returns the best `count` paths, best first; equal labels side by side are
  // one if `merge_repeated`. Returns INVALID_ARGUMENT if there are not so many.
  StatusOr<std::vector<FoundPath<T>>> Best(int64_t count,
                                           bool merge_repeated) const;

 private:
  static constexpr int64_t kNone = Beam::kNone;

  // Logarithms of the probabilities that a path's alignments so far end with a
  // blank, with its last label, and of their sum.
  struct Probability {
    T total = kLogOfZero<T>, blank = kLogOfZero<T>, label = kLogOfZero<T>;
  };
  // A path: its last label, behind the path of its parent. Nodes are kept while
  // they are in the beam or have children.
  struct Node {
    int64_t parent = kNone;
    int64_t label = kNone;
    int64_t first_child = kNone, next = kNone, previous = kNone;  // siblings
    int64_t uses = 0;
    Probability before, now;

    bool is_active() const { return now.total != kLogOfZero<T>; }
  };

  auto Better() const {
    return [this](int64_t a, int64_t b) {
      return nodes_[static_cast<size_t>(a)].now.total >
             nodes_[static_cast<size_t>(b)].now.total;
    };
  }
  Node& At(int64_t i) { return nodes_[static_cast<size_t>(i)]; }
  const Node& At(int64_t i) const { return nodes_[static_cast<size_t>(i)]; }
  StatusOr<int64_t> NewNode(int64_t parent, int64_t label);
  // Gives back a use, and the nodes that have none any more.
  void Release(int64_t node);
  void Continue(int64_t node, const T* logits, T offset);
  Status Grow(int64_t node, const T* logits, T offset);
  Status GrowChild(int64_t node, int64_t label, T logit);
  // Returns whether a path of this probability belongs into the beam.
  bool IsCandidate(T total);
  std::vector<int64_t> LabelsOf(int64_t node, bool merge_repeated) const;

  const int64_t classes_, width_;
  Beam beam_;
  std::vector<Node> nodes_;
  std::vector<int64_t> free_;
  // The children of the node that is being grown, by label; kNone otherwise.
  std::vector<int64_t> children_;
  MemoryCharge charge_;
};

extern template class BeamSearch<float>;
extern template class BeamSearch<double>;

}  // namespace millrace::ops
