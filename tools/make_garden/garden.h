#pragma once

// The garden: a table with a vase on a lawn, hedges and trees around it, a house and a sky. Seen
// from near the table it resembles a photographed place: a close object in the middle, surroundings
// at every distance, and something behind every pixel. Axes: z up, metres.

#include <functional>
#include <vector>

#include "places.h"

namespace mote::garden {

/// Parameters that imitate the result of training for a thing's splats.
struct Style {
  float width = 1;      // factor on the size of splats
  float opaque = 0;     // offset on the logit of opacity
  float thickness = 1;  // distance from the surface, in spacings
  float gloss = 0.5f;   // factor on harmonics above degree 0
};

/// An object with splats on its surface.
struct Thing {
  double share;  // fraction of all splats
  float area;    // covered area, square metres
  std::function<Place(Random&)> place;
  vec3 light{0.5f}, dark{0.3f};  // colours, mixed by noise; display-referred
  float grain = 4;               // noise features per metre
  Style style;
};

/// All things; shares sum to 1.
std::vector<Thing> things();

/// The point that cameras look at.
inline constexpr vec3 kMiddle{0, 0, 0.75f};

}  // namespace mote::garden
