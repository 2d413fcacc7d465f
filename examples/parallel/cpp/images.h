// Images in ten classes: Fashion-MNIST where it is, else generated ones of the
// same form.
#pragma once

#include <cstdint>
#include <string>

#include "examples/parallel/cpp/parallel.h"
#include "examples/support/fashion_mnist.h"
#include "millrace/millrace.h"

namespace millrace::parallel {

struct Images {
  std::string source;  // in words
  examples::ImageSet training;
  examples::ImageSet test;
};

// Those of the folder options.data: NOT_FOUND and DATA_LOSS as LoadTrainingSet
// has them. Without a folder those that Debian has, and generated ones if it
// has none. Small: the first 2,000 and 500, and generated ones wherever no
// folder is given, so that tests do not depend on what is installed.
StatusOr<Images> LoadImages(const Options& options);

// Images that can be told apart, though not without mistakes: each class has
// three drawings, made of soft spots, and an image is one of them, fainter or
// stronger, shifted by up to two pixels, with another drawing faintly over it,
// and noise. The same seed gives the same images.
Images GeneratedImages(int64_t training, int64_t test, uint64_t seed);

// A batch: the images are numbered through all batches, far from each other.
// That of the Python programs with the same number.
examples::ImageSet BatchOf(const examples::ImageSet& set, int64_t number,
                           int64_t size);

}  // namespace millrace::parallel
