// Flush-to-zero: kernels treat numbers below 1.2e-38 (float) as zero, on input
// and output, as TensorFlow's kernels do. Computing with such numbers would
// take a hundred times as long.
#pragma once

namespace millrace {

// Sets both bits (flush results, treat inputs as zero) of the calling thread
// for the scope. Does nothing where the processor has no such mode.
class ScopedFlushDenormals {
 public:
  ScopedFlushDenormals();
  ~ScopedFlushDenormals();
  ScopedFlushDenormals(const ScopedFlushDenormals&) = delete;
  ScopedFlushDenormals& operator=(const ScopedFlushDenormals&) = delete;

 private:
  unsigned previous_ = 0;
};

// Returns whether the calling thread flushes denormals.
bool FlushesDenormals();

}  // namespace millrace
