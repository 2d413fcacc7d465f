#include "examples/parallel/cpp/images.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "millrace/millrace.h"

namespace millrace::parallel {
namespace {

using examples::ImageSet;
using examples::kClasses;
using examples::kPixels;

constexpr int64_t kTestImages = 10'000;
constexpr int64_t kSmallTraining = 2'000;
constexpr int64_t kSmallTest = 500;
constexpr int kSide = 28;
constexpr int kDrawingsPerClass = 3;
constexpr int kSpots = 6;
constexpr int kShift = 2;
constexpr double kFaint = 0.35;  // of the other drawing
constexpr double kNoise = 0.15;
constexpr double kWhite = 200;
// Between two images of a batch. A prime, so that each pass over the images has
// all of them.
constexpr int64_t kStride = 7'919;

// Of pixels, row by row; the highest is 1.
using Drawing = std::array<double, kPixels>;

double Between(Rng& rng, double least, double most) {
  return least + (most - least) * rng.Double();
}

// About normally distributed, of deviation 1.
double Noise(Rng& rng) {
  constexpr int kTerms = 3;
  double sum = 0;
  for (int i = 0; i < kTerms; ++i) sum += Between(rng, -1, 1);
  return sum;
}

Drawing NewDrawing(Rng& rng) {
  Drawing drawing{};
  for (int spot = 0; spot < kSpots; ++spot) {
    const double x = Between(rng, 5, 23);
    const double y = Between(rng, 5, 23);
    const double width = Between(rng, 1.5, 3.5);
    for (int row = 0; row < kSide; ++row) {
      for (int column = 0; column < kSide; ++column) {
        const double square =
            (column - x) * (column - x) + (row - y) * (row - y);
        drawing[static_cast<size_t>(row * kSide + column)] +=
            std::exp(-square / (2 * width * width));
      }
    }
  }
  const double most = *std::max_element(drawing.begin(), drawing.end());
  for (double& pixel : drawing) pixel /= most;
  return drawing;
}

// A drawing as it lies somewhere.
struct Shifted {
  const Drawing& drawing;
  int down = 0;
  int across = 0;

  double At(int row, int column) const {
    const int from_row = (row - down + kSide) % kSide;
    const int from_column = (column - across + kSide) % kSide;
    return drawing[static_cast<size_t>(from_row * kSide + from_column)];
  }
};

Shifted Shift(const Drawing& drawing, Rng& rng) {
  const auto some = [&] {
    return static_cast<int>(rng.Uniform(2 * kShift + 1)) - kShift;
  };
  const int down = some();
  return {.drawing = drawing, .down = down, .across = some()};
}

ImageSet SomeImages(int64_t count, const std::vector<Drawing>& drawings,
                    Rng& rng) {
  ImageSet set = {
      .images = Tensor::New(DataType::kUint8, TensorShape({count, kPixels})),
      .labels = Tensor::New(DataType::kInt32, TensorShape({count}))};
  uint8_t* pixel = set.images.mutable_flat<uint8_t>().data();
  for (int32_t& label : set.labels.mutable_flat<int32_t>()) {
    label = static_cast<int32_t>(rng.Uniform(kClasses));
    const size_t own = static_cast<size_t>(label) * kDrawingsPerClass +
                       rng.Uniform(kDrawingsPerClass);
    const Shifted shown = Shift(drawings[own], rng);
    const Shifted over = Shift(drawings[rng.Uniform(drawings.size())], rng);
    const double strength = Between(rng, 0.4, 1);
    for (int row = 0; row < kSide; ++row) {
      for (int column = 0; column < kSide; ++column) {
        const double value = strength * shown.At(row, column) +
                             kFaint * over.At(row, column) +
                             kNoise * Noise(rng);
        *pixel++ = static_cast<uint8_t>(std::clamp(value * kWhite, 0.0, 255.0));
      }
    }
  }
  return set;
}

ImageSet First(const ImageSet& set, int64_t count) {
  return {.images = set.images.Rows(0, count),
          .labels = set.labels.Rows(0, count)};
}

}  // namespace

Images GeneratedImages(int64_t training, int64_t test, uint64_t seed) {
  Rng rng(seed);
  std::vector<Drawing> drawings;
  for (int64_t i = 0; i < kClasses * kDrawingsPerClass; ++i) {
    drawings.push_back(NewDrawing(rng));
  }
  Images images;
  images.source = "generated images";
  images.training = SomeImages(training, drawings, rng);
  images.test = SomeImages(test, drawings, rng);
  return images;
}

StatusOr<Images> LoadImages(const Options& options) {
  std::string folder = options.data;
  if (folder.empty() && !options.is_small) {
    folder = examples::DefaultDataFolder();
    if (!PosixFiles()->IsDirectory(folder).ok()) folder.clear();
  }
  if (folder.empty()) {
    return options.is_small
               ? GeneratedImages(kSmallTraining, kSmallTest, 0)
               : GeneratedImages(examples::kTrainImages, kTestImages, 0);
  }
  Images images;
  images.source = "Fashion-MNIST";
  MR_ASSIGN_OR_RETURN(images.training, examples::LoadTrainingSet(folder));
  MR_ASSIGN_OR_RETURN(images.test, examples::LoadTestSet(folder));
  if (options.is_small) {
    images.training = First(images.training, kSmallTraining);
    images.test = First(images.test, kSmallTest);
  }
  return images;
}

ImageSet BatchOf(const ImageSet& set, int64_t number, int64_t size) {
  const int64_t count = set.labels.dim(0);
  ImageSet batch = {
      .images = Tensor::New(DataType::kUint8, TensorShape({size, kPixels})),
      .labels = Tensor::New(DataType::kInt32, TensorShape({size}))};
  char* image = batch.images.mutable_data();
  const auto labels = set.labels.flat<int32_t>();
  int64_t at = number * size;
  for (int32_t& label : batch.labels.mutable_flat<int32_t>()) {
    const int64_t row = at++ % count * kStride % count;
    std::memcpy(std::exchange(image, image + kPixels),
                set.images.data() + row * kPixels, kPixels);
    label = labels[static_cast<size_t>(row)];
  }
  return batch;
}

}  // namespace millrace::parallel
