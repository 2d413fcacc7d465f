// For C++ that includes a *.shared.h, functions of one element on any device,
// behind this: what such a file takes of the prelude of texts for GPUs
// (device/cuda/prelude).
#pragma once

// Stands before each of the functions, which are inlined into loops that are
// compiled for several processors.
#define MR_SHARED [[gnu::always_inline]] inline

namespace millrace {

// A product that is rounded even where a sum takes it. Files that are compiled
// for processors that multiply and add at once need -ffp-contract=off, too.
MR_SHARED float RoundedProduct(float a, float b) { return a * b; }
MR_SHARED double RoundedProduct(double a, double b) { return a * b; }

}  // namespace millrace
