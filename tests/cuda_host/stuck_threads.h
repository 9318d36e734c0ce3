#pragma once

// What the report of a fault says of threads that wait.

#include <string>
#include <vector>

#include <cuda_host/site.h>

namespace cuda_host {

/// Where a thread waits, and for whom.
struct Waiting {
  unsigned mask = 0;  // of a warp operation; 0: the whole block
  Site site;          // no file: it does not wait, it has returned

  friend bool operator==(const Waiting&, const Waiting&) = default;
};

/// "at kernel.cu:41 (function)", and the mask where there is one.
std::string describe(const Waiting& waiting);

/// One phrase for all threads that wait alike: `waiting[i]` is for thread i.
std::string describe_stuck(const std::vector<Waiting>& waiting);

}  // namespace cuda_host
