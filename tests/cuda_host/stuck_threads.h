#pragma once

// Describes waiting threads in the report of a fault.

#include <string>
#include <vector>

#include <cuda_host/site.h>

namespace cuda_host {

/// Where a thread waits, and for which threads.
struct Waiting {
  unsigned mask = 0;  // of a warp operation; 0: the whole block
  Site site;          // no file: the thread has returned

  friend bool operator==(const Waiting&, const Waiting&) = default;
};

/// Text such as "at kernel.cu:41 (function)", with the mask if there is one.
std::string describe(const Waiting& waiting);

/// One phrase per group of threads that wait at the same place; `waiting[i]` belongs to thread i.
std::string describe_stuck(const std::vector<Waiting>& waiting);

}  // namespace cuda_host
