#include "millrace/ops/ctc/beam_search.h"

#include <algorithm>
#include <cmath>

#include "millrace/base/memory/checked_size.h"

namespace millrace::ops {

template <class T>
Status BeamSearch<T>::Start() {
  MR_RETURN_IF_ERROR(charge_.Set(classes_ * 8, "a beam search"));
  children_.assign(static_cast<size_t>(classes_), kNone);
  MR_ASSIGN_OR_RETURN(const int64_t root, NewNode(kNone, kNone));
  At(root).now.total = 0;
  At(root).now.blank = 0;
  ++At(root).uses;
  beam_.Add(root, Better());
  return OkStatus();
}

template <class T>
StatusOr<int64_t> BeamSearch<T>::NewNode(int64_t parent, int64_t label) {
  int64_t i;
  if (!free_.empty()) {
    i = free_.back();
    free_.pop_back();
    At(i) = Node();
  } else {
    if (nodes_.size() == nodes_.capacity()) {
      const auto more =
          std::max<int64_t>(64, 2 * static_cast<int64_t>(nodes_.size()));
      // A node is in the beam, among those that are extended, and free at most
      // once, and vectors take up to twice their size while they grow.
      MR_ASSIGN_OR_RETURN(
          const int64_t bytes,
          (CheckedSize(more) * static_cast<int64_t>(2 * sizeof(Node) + 48) +
           classes_ * 8)
              .Get("the memory of a beam search"));
      MR_RETURN_IF_ERROR(charge_.Set(bytes, "a beam search"));
      nodes_.reserve(static_cast<size_t>(more));
    }
    i = static_cast<int64_t>(nodes_.size());
    nodes_.emplace_back();
  }
  Node& node = At(i);
  node.parent = parent;
  node.label = label;
  if (parent == kNone) return i;
  Node& above = At(parent);
  ++above.uses;
  node.next = above.first_child;
  if (node.next != kNone) At(node.next).previous = i;
  above.first_child = i;
  return i;
}

template <class T>
void BeamSearch<T>::Release(int64_t i) {
  while (i != kNone && --At(i).uses == 0) {
    const Node& node = At(i);
    const int64_t parent = node.parent;
    if (node.next != kNone) At(node.next).previous = node.previous;
    if (node.previous != kNone) {
      At(node.previous).next = node.next;
    } else if (parent != kNone) {
      At(parent).first_child = node.next;
    }
    free_.push_back(i);
    i = parent;
  }
}

template <class T>
bool BeamSearch<T>::IsCandidate(T total) {
  return total > kLogOfZero<T> &&
         (beam_.size() < width_ || total > At(beam_.Worst(Better())).now.total);
}

// The path of a node goes on with its last label or with a blank.
template <class T>
void BeamSearch<T>::Continue(int64_t i, const T* logits, T offset) {
  Node& node = At(i);
  if (node.parent != kNone) {
    const Node& above = At(node.parent);
    if (above.is_active()) {
      // A label that follows its like needs a blank between them.
      node.now.label = AddLogs(node.now.label, node.label == above.label
                                                   ? above.before.blank
                                                   : above.before.total);
    }
    node.now.label += logits[node.label] - offset;
  }
  node.now.blank = node.before.total + logits[classes_ - 1] - offset;
  node.now.total = AddLogs(node.now.blank, node.now.label);
}

template <class T>
Status BeamSearch<T>::Step(const T* logits) {
  T largest = logits[0];
  for (int64_t k = 1; k < classes_; ++k) {
    largest = std::max(largest, logits[k]);
  }
  T sum = 0;
  for (int64_t k = 0; k < classes_; ++k) sum += std::exp(logits[k] - largest);
  const T offset = largest + std::log(sum);
  // The nodes keep the uses that they had in the beam until all are extended.
  const std::vector<int64_t> branches = beam_.TakeSorted(Better());
  for (const int64_t i : branches) At(i).before = At(i).now;
  for (const int64_t i : branches) {
    Continue(i, logits, offset);
    ++At(i).uses;
    beam_.Add(i, Better());
  }
  for (const int64_t i : branches) {
    if (IsCandidate(At(i).before.total)) {
      MR_RETURN_IF_ERROR(Grow(i, logits, offset));
    }
  }
  for (const int64_t i : branches) Release(i);
  return OkStatus();
}

// The path of a node gets a further label. No node that `children_` names is
// given back meanwhile: only those that this step has added can be.
template <class T>
Status BeamSearch<T>::Grow(int64_t i, const T* logits, T offset) {
  for (int64_t c = At(i).first_child; c != kNone; c = At(c).next) {
    children_[static_cast<size_t>(At(c).label)] = c;
  }
  Status status;
  for (int64_t k = 0; k + 1 < classes_ && status.ok(); ++k) {
    status = GrowChild(i, k, logits[k] - offset);
  }
  std::fill(children_.begin(), children_.end(), kNone);
  return status;
}

template <class T>
Status BeamSearch<T>::GrowChild(int64_t i, int64_t label, T logit) {
  int64_t child = children_[static_cast<size_t>(label)];
  if (child != kNone && At(child).is_active()) return OkStatus();
  const Node& node = At(i);
  const T total =
      logit + (label == node.label ? node.before.blank : node.before.total);
  if (!IsCandidate(total)) {
    if (child != kNone) At(child).before = At(child).now = Probability();
    return OkStatus();
  }
  if (child == kNone) {
    MR_ASSIGN_OR_RETURN(child, NewNode(i, label));
  }
  At(child).now = {total, kLogOfZero<T>, total};
  if (beam_.size() == width_) {
    At(beam_.Worst(Better())).now = Probability();
  }
  ++At(child).uses;
  const int64_t out = beam_.Add(child, Better());
  if (out != kNone) Release(out);
  return OkStatus();
}

template <class T>
std::vector<int64_t> BeamSearch<T>::LabelsOf(int64_t i,
                                             bool merge_repeated) const {
  std::vector<int64_t> labels;
  int64_t behind = kNone;
  for (; At(i).parent != kNone; i = At(i).parent) {
    if (!merge_repeated || At(i).label != behind) labels.push_back(At(i).label);
    behind = At(i).label;
  }
  std::reverse(labels.begin(), labels.end());
  return labels;
}

template <class T>
StatusOr<std::vector<FoundPath<T>>> BeamSearch<T>::Best(
    int64_t count, bool merge_repeated) const {
  if (count > width_) {
    return InvalidArgument("requested more paths than the beam width.");
  }
  if (count > beam_.size()) {
    return InvalidArgument("Less leaves in the beam search than requested.");
  }
  Beam best(count);
  for (const int64_t i : beam_.items()) best.Add(i, Better());
  std::vector<FoundPath<T>> paths;
  for (const int64_t i : best.TakeSorted(Better())) {
    paths.push_back({LabelsOf(i, merge_repeated), At(i).now.total});
  }
  return paths;
}

template class BeamSearch<float>;
template class BeamSearch<double>;

}  // namespace millrace::ops
