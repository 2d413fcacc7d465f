#include "examples/support/fashion_mnist.h"

#include <zlib.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "millrace/millrace.h"

namespace millrace::examples {
namespace {

constexpr uint32_t kImagesMagic = 0x00000803;  // uint8, three dimensions
constexpr uint32_t kLabelsMagic = 0x00000801;  // uint8, one dimension

struct GzClose {
  void operator()(gzFile_s* file) const { gzclose(file); }
};
using GzFile = std::unique_ptr<gzFile_s, GzClose>;

StatusOr<GzFile> OpenGz(const std::string& path) {
  GzFile file(gzopen(path.c_str(), "rb"));
  if (file) return file;
  return NotFound(path,
                  " cannot be read: install the Debian package "
                  "dataset-fashion-mnist, or set FASHION_MNIST_DIR to a "
                  "folder with the four files");
}

Status ReadExactly(gzFile_s* file, void* out, unsigned size,
                   const std::string& path) {
  if (gzread(file, out, size) == static_cast<int>(size)) return OkStatus();
  return DataLoss(path, " ends too early or is damaged");
}

StatusOr<uint32_t> ReadBigEndian(gzFile_s* file, const std::string& path) {
  uint8_t b[4];
  MR_RETURN_IF_ERROR(ReadExactly(file, b, sizeof(b), path));
  return uint32_t{b[0]} << 24 | uint32_t{b[1]} << 16 | uint32_t{b[2]} << 8 |
         b[3];
}

Status ExpectNumber(gzFile_s* file, uint32_t expected, const std::string& path,
                    const char* what) {
  MR_ASSIGN_OR_RETURN(const uint32_t found, ReadBigEndian(file, path));
  if (found == expected) return OkStatus();
  return DataLoss(path, ": ", what, " is ", found, ", expected ", expected);
}

StatusOr<ImageSet> Load(const std::string& folder, const std::string& part,
                        uint32_t count) {
  ImageSet set;
  const std::string images = JoinPath(folder, part + "-images-idx3-ubyte.gz");
  const std::string labels = JoinPath(folder, part + "-labels-idx1-ubyte.gz");
  const int64_t n = count;
  {
    MR_ASSIGN_OR_RETURN(const GzFile file, OpenGz(images));
    MR_RETURN_IF_ERROR(
        ExpectNumber(file.get(), kImagesMagic, images, "its first number"));
    MR_RETURN_IF_ERROR(
        ExpectNumber(file.get(), count, images, "the number of images"));
    for (int i = 0; i < 2; ++i) {
      MR_RETURN_IF_ERROR(ExpectNumber(file.get(), 28, images, "a side"));
    }
    set.images = Tensor::New(DataType::kUint8, TensorShape({n, kPixels}));
    MR_RETURN_IF_ERROR(
        ReadExactly(file.get(), set.images.mutable_data(),
                    static_cast<unsigned>(set.images.size_bytes()), images));
  }
  MR_ASSIGN_OR_RETURN(const GzFile file, OpenGz(labels));
  MR_RETURN_IF_ERROR(
      ExpectNumber(file.get(), kLabelsMagic, labels, "its first number"));
  MR_RETURN_IF_ERROR(
      ExpectNumber(file.get(), count, labels, "the number of labels"));
  std::vector<uint8_t> bytes(count);
  MR_RETURN_IF_ERROR(ReadExactly(file.get(), bytes.data(), count, labels));
  set.labels = Tensor::New(DataType::kInt32, TensorShape({n}));
  auto out = set.labels.mutable_flat<int32_t>();
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] >= kClasses) {
      return DataLoss(labels, ": label ", i, " is ", int{bytes[i]},
                      ", expected 0 to 9");
    }
    out[i] = bytes[i];
  }
  return set;
}

}  // namespace

StatusOr<ImageSet> LoadTrainingSet(const std::string& folder) {
  return Load(folder, "train", kTrainImages);
}

StatusOr<ImageSet> LoadTestSet(const std::string& folder) {
  return Load(folder, "t10k", 10'000);
}

std::string DefaultDataFolder() {
  const char* folder = std::getenv("FASHION_MNIST_DIR");
  return folder && *folder ? folder : "/usr/share/datasets/fashion-mnist";
}

Batches::Batches(ImageSet set, int64_t batch, uint64_t seed)
    : set_(std::move(set)), batch_(batch), rng_(seed) {
  Shuffle();
}

ImageSet Batches::Next() {
  if (at_ + batch_ > set_.labels.dim(0)) Shuffle();
  const int64_t begin = std::exchange(at_, at_ + batch_);
  return {shuffled_.images.Rows(begin, at_), shuffled_.labels.Rows(begin, at_)};
}

void Batches::Shuffle() {
  at_ = 0;
  const size_t n = static_cast<size_t>(set_.labels.dim(0));
  std::vector<uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = n; i > 1; --i) {
    std::swap(order[i - 1], order[rng_.Uniform(i)]);
  }
  // A batch of the last pass may still be on its way: a new copy, the old one
  // goes with its last batch.
  shuffled_.images = Tensor::New(DataType::kUint8, set_.images.shape());
  shuffled_.labels = Tensor::New(DataType::kInt32, set_.labels.shape());
  char* images = shuffled_.images.mutable_data();
  auto labels = shuffled_.labels.mutable_flat<int32_t>();
  const auto from = set_.labels.flat<int32_t>();
  for (size_t i = 0; i < n; ++i) {
    std::memcpy(images + i * kPixels, set_.images.data() + order[i] * kPixels,
                kPixels);
    labels[i] = from[order[i]];
  }
}

}  // namespace millrace::examples
