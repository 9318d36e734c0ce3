#pragma once

#include "scene/splat_cloud.h"

namespace mote {

/// Gives the splats of one scene as they are to be drawn: edited and coloured, where its file has
/// them. Thread safe.
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
