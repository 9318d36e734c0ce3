#pragma once

#include "splats/splat_cloud.h"

namespace mote {

/// Provides the splats of one scene, edited and coloured, in the frame of its file. Thread safe.
class SplatSource {
 public:
  virtual ~SplatSource() = default;
  virtual SplatCloud drawn() const = 0;

 protected:
  SplatSource() = default;
  SplatSource(const SplatSource&) = default;
  SplatSource& operator=(const SplatSource&) = default;
};

}  // namespace mote
