// Fashion-MNIST (Xiao et al., 2017): 60,000 training and 10,000 test images of
// 28 x 28 grey pixels in 10 classes, in IDX files packed by gzip.
#pragma once

#include <cstdint>
#include <string>

#include "millrace/millrace.h"

namespace millrace::examples {

inline constexpr int64_t kTrainImages = 60'000;
inline constexpr int64_t kPixels = 28 * 28;
inline constexpr int64_t kClasses = 10;

struct ImageSet {
  Tensor images;  // uint8 [n, 784]
  Tensor labels;  // int32 [n]
};

// NOT_FOUND tells which file is missing and where it comes from; DATA_LOSS for
// files of another form.
StatusOr<ImageSet> LoadTrainingSet(const std::string& folder);
StatusOr<ImageSet> LoadTestSet(const std::string& folder);

// $FASHION_MNIST_DIR, else where Debian's package dataset-fashion-mnist has it.
std::string DefaultDataFolder();

// Batches in an order that is shuffled for each pass over the set. One thread.
class Batches {
 public:
  // A last batch that would be smaller is left out.
  Batches(ImageSet set, int64_t batch, uint64_t seed);
  // Shares the memory of the shuffled set.
  ImageSet Next();

 private:
  void Shuffle();

  const ImageSet set_;
  const int64_t batch_;
  Rng rng_;
  ImageSet shuffled_;
  int64_t at_ = 0;
};

}  // namespace millrace::examples
