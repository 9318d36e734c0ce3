#pragma once

// Replaces the CUDA toolkit's header in the host run: kernels and the code that launches them are
// compiled as plain C++, and a CUDA thread is a fiber (interpreter.h). It declares only the part of
// CUDA that Mote uses, with the toolkit's names, values and signatures.

#include <cuda_host/atomics.h>
#include <cuda_host/block_words.h>
#include <cuda_host/matrices.h>
#include <cuda_host/numbers.h>
#include <cuda_host/runtime_api.h>
#include <cuda_host/shared_memory.h>
#include <cuda_host/vectors.h>
#include <cuda_host/warp_words.h>
