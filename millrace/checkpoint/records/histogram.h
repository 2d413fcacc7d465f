// Histogram: counts values in TensorFlow's default buckets, as TensorBoard
// shows them.
#pragma once

#include <string>
#include <vector>

#include "absl/types/span.h"

namespace millrace {

// Bucket i counts the values in [limit[i-1], limit[i]). The limits are 0,
// powers of 1.1 times 1e-12 up to 1e20, positive and negative, and the largest
// double. Not thread-safe.
class Histogram {
 public:
  Histogram();

  // Requires: the value is not NaN; the caller rejects that with the name of
  // the value.
  void Add(double value) { Add(value, 1); }
  // Adds the value `count` times.
  void Add(double value, double count);
  // Adds the counts of `other`.
  void Merge(const Histogram& other);

  double count() const { return count_; }
  double min() const { return min_; }  // the largest double before any value
  double max() const { return max_; }
  double sum() const { return sum_; }

  // Returns a serialized HistogramProto. Runs of empty buckets are merged into
  // one bucket, unless `keep_empty`.
  std::string Encode(bool keep_empty = false) const;

  static absl::Span<const double> Limits();

 private:
  double min_;
  double max_;
  double count_ = 0;
  double sum_ = 0;
  double sum_squares_ = 0;
  std::vector<double> buckets_;
};

}  // namespace millrace
