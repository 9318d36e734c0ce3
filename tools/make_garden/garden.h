#pragma once

// What stands in the garden: a table with a vase on a lawn, hedges and trees around it, a house and
// a sky. Seen from about the table it is a scene as photographs of a place are: something near in
// the middle, surroundings at every distance, and something behind every pixel. Axes: z up, metres.

#include <functional>
#include <vector>

#include "places.h"

namespace mote::garden {

/// How the splats of a thing came out of "training".
struct Style {
  float width = 1;      // factor on their size
  float opaque = 0;     // added to their logit of opacity
  float thickness = 1;  // how far they stand off the surface, in spacings
  float gloss = 0.5f;   // factor on harmonics above degree 0
};

/// Something with splats on it.
struct Thing {
  double share;  // of all splats
  float area;    // square metres that they share
  std::function<Place(Random&)> place;
  vec3 light{0.5f}, dark{0.3f};  // its colours, mixed by noise; display-referred
  float grain = 4;               // features of that noise a metre
  Style style;
};

/// All things; shares sum to 1.
std::vector<Thing> things();

/// Where cameras look.
inline constexpr vec3 kMiddle{0, 0, 0.75f};

}  // namespace mote::garden
