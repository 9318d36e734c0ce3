#pragma once

// Places of the first splats, and the times of those that move.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <glm/vec3.hpp>
#include <vector>

#include "core/random.h"
#include "train/splats/seed_movement.h"

namespace mote {

/// Places from which the first splats are made.
struct Seeds {
  std::vector<glm::dvec3> positions = {};
  std::vector<std::array<double, 3>> colors = {};  // 0..1
  std::vector<double> times_s = {};                // kAlways: at all times
  std::vector<glm::dvec3> velocities = {};  // world units per second; only if the scene moves
  std::vector<bool> move = {};              // whether a velocity was found; only if it moves

  MotionSeeds with_times(const SceneTimes& times) const {
    return {.positions = positions, .times_s = times_s, .colors = colors, .times = times};
  }
  std::size_t always() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(times_s, [](double time_s) { return std::isnan(time_s); }));
  }
};

/// Drops seeds of other moments than `time_s`, but for those that show something that stands still,
/// of which at most `most` are kept, at random. Without seeds of several moments, none.
void keep_moment(Seeds& seeds, double time_s, const SceneTimes& times, std::size_t most,
                 Random& random);

/// Numbers of first splats of a moving scene. Points of several moments show what stands still
/// several times, but most of what moves only once: if seeds of both classes are given, most splats
/// start at those with times.
struct SeedNumbers {
  std::size_t always = 0;  // live always; if no seed has a time, at most so many do
  std::size_t with_times = 0;

  std::size_t all() const { return always + with_times; }
};
/// Numbers of splats at the seeds, of which there is at least one. `count`: of all. Splats that may
/// not live always, since there are already `most_always` of them, start at seeds with times.
SeedNumbers seed_numbers(const Seeds& seeds, std::size_t count, std::size_t most_always);
/// The usual number of first splats of a moving scene at so many seeds that live always, and with
/// times: at least `least`, and enough for each seed with a time to get two splats.
std::size_t usual_count(std::size_t always, std::size_t with_times, std::size_t least);

/// Drops seeds at random, of those with times first the ones without a velocity, and adds others
/// near the rest, until there are as many as wanted. If no seed has a time, those that are added
/// get random ones; if none is added, half of the seeds do, or more if fewer may live always.
void spread_in_time(Seeds& seeds, const SeedNumbers& numbers, const SceneTimes& times,
                    Random& random);

/// Moves seeds with a time along their ways to random times between the moments of seeds, for lives
/// that are shorter than the time between these.
void spread_between_moments(Seeds& seeds, const SceneTimes& times, Random& random);

}  // namespace mote
