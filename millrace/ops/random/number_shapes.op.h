// Shape functions that ops of random numbers share.
#pragma once

#include "millrace/graph/shape_context.h"

namespace millrace::ops {

// Sets output 0 to the shape that input 0 holds.
Status NumbersShape(ShapeContext& c);

// Sets output 0 to the shape that the input holds, a vector whose type the
// schema leaves open.
Status AnyTypeNumbersShape(ShapeContext& c, int input);

// Sets output 0 to the shape that input 0 holds, followed by the shape of input
// 1, a tensor of parameters.
Status SamplesShape(ShapeContext& c);

// Requires the input to be a seed: a vector of two numbers.
Status CheckSeed(ShapeContext& c, int input);

}  // namespace millrace::ops
