// Marching of many rays through an occupancy grid, a lane each. Rays differ in their numbers of
// cells and samples, so that a lane whose ray is done takes the next one. Compiled once per
// instruction set.

#include "cpu/isa_kernels.h"
#include "lanes/pack.h"
#include "lanes/pack_words.h"
// After the packs, whose functions its templates call.
#include "fields/marching.h"

namespace mote::MOTE_ISA {
namespace {

class MarchingLanes {
 public:
  MarchingLanes(const MarchParams& params, std::size_t begin, std::size_t end)
      : params_(params), next_(begin), end_(end) {
    // An idle lane is beyond its end.
    for (RayMarch& ray : rays_) ray = {};
    for (int lane = 0; lane < kPackLanes; ++lane) set_lane(lane);
  }

  void run() {
    while (take_rays()) advance();
  }

 private:
  // The parts of a ray that marching reads or changes, each [kPackLanes].
  enum Plane {
    kOriginX,
    kOriginY,
    kOriginZ,
    kDirectionX,
    kDirectionY,
    kDirectionZ,
    kInverseX,
    kInverseY,
    kInverseZ,
    kEnd,
    kSteps,
    kOccupiedEnd,
    kDensity,
    kThickness,
    kReach,
    kPlanes
  };

  /// Copies a lane's ray to the planes.
  void set_lane(int lane) {
    const RayMarch& ray = rays_[lane];
    const float values[]{ray.origin.x,    ray.origin.y,    ray.origin.z,  ray.direction.x,
                         ray.direction.y, ray.direction.z, ray.inverse.x, ray.inverse.y,
                         ray.inverse.z,   ray.t_end,       ray.steps,     ray.occupied_end,
                         ray.density};
    for (int plane = 0; plane < kThickness; ++plane) planes_[plane][lane] = values[plane];
    planes_[kThickness][lane] = 0;
  }

  Pack plane(Plane which) const { return load(planes_[which]); }
  Vec3<Pack> vector(Plane first) const {
    return {load(planes_[first]), load(planes_[first + 1]), load(planes_[first + 2])};
  }

  /// Gives rays to idle lanes, once a quarter of them is idle. Returns whether a lane has a ray.
  bool take_rays() {
    constexpr int kWorthwhile = kPackLanes / 4;
    const bool enough = kPackLanes - __builtin_popcount(busy_) >= kWorthwhile;
    for (int lane = 0; enough && lane < kPackLanes && next_ < end_; ++lane) {
      if ((busy_ >> lane & 1) == 0) take_ray(lane);
    }
    return busy_ != 0;
  }

  void take_ray(int lane) {
    while (next_ < end_) {
      const std::size_t i = next_++;
      RayMarch& ray = params_.rays[params_.alive[i]];
      params_.counts[i] = 0;
      if (ray.done()) continue;
      rays_[lane] = ray;
      place_[lane] = i;
      found_[lane] = 0;
      set_lane(lane);
      planes_[kReach][lane] = params_.reach[params_.alive[i]];
      busy_ |= 1u << lane;
      return;
    }
  }

  /// Writes the state of a ray back.
  void leave_ray(int lane) {
    RayMarch& ray = params_.rays[params_.alive[place_[lane]]];
    ray.steps = planes_[kSteps][lane];
    ray.occupied_end = planes_[kOccupiedEnd][lane];
    ray.density = planes_[kDensity][lane];
    ray.left = rays_[lane].left;
    params_.counts[place_[lane]] = static_cast<std::uint32_t>(found_[lane]);
    planes_[kEnd][lane] = 0;
    busy_ &= ~(1u << lane);
  }

  /// Each ray takes a sample, or passes a cell, or ends.
  void advance() {
    const MarchSettings& settings = *params_.settings;
    const Pack steps = plane(kSteps), t = settings.scale.distance_of(steps);
    const PackMask inside = t < plane(kEnd);
    for (std::uint32_t ended = busy_ & ~mask_bits(inside); ended != 0; ended &= ended - 1) {
      const int lane = __builtin_ctz(ended);
      rays_[lane].left = 0;
      leave_ray(lane);
    }
    const PackMask sampling = inside & (steps < plane(kOccupiedEnd));
    const PackMask passing = inside & (steps >= plane(kOccupiedEnd));
    if (any(passing)) pass(t, passing);
    if (any(sampling)) sample(t, sampling);
  }

  void pass(Pack t, PackMask passing) {
    const PassedCell<Pack> cell =
        pass_cell(*params_.occupancy, *params_.settings, t,
                  RayLines<Pack>{vector(kOriginX), vector(kDirectionX), vector(kInverseX),
                                 plane(kEnd), plane(kSteps)});
    const PackMask entered = passing & cell.occupied;
    store(select(passing, select(entered, plane(kSteps), cell.end), plane(kSteps)),
          planes_[kSteps]);
    store(select(entered, cell.end, plane(kOccupiedEnd)), planes_[kOccupiedEnd]);
    store(select(entered, cell.density, plane(kDensity)), planes_[kDensity]);
  }

  void sample(Pack t, PackMask sampling) {
    const Pack dt = step_at(t, params_.settings->cone, params_.settings->smallest);
    const Pack thickness = plane(kThickness) + keep(sampling, plane(kDensity)) * dt;
    store(thickness, planes_[kThickness]);
    store(plane(kSteps) + keep(sampling, Pack(1.0f)), planes_[kSteps]);
    alignas(64) float at[kPackLanes], length[kPackLanes];
    store(t, at);
    store(dt, length);
    const std::uint32_t below = mask_bits(thickness < plane(kReach));
    for (std::uint32_t lanes = mask_bits(sampling); lanes != 0; lanes &= lanes - 1) {
      const int lane = __builtin_ctz(lanes);
      const auto most = static_cast<std::size_t>(params_.most);
      const auto number = static_cast<std::size_t>(found_[lane]++);
      params_.samples[place_[lane] * most + number] = {at[lane], length[lane]};
      --rays_[lane].left;
      const bool goes_on =
          found_[lane] < params_.most && !rays_[lane].done() && (below >> lane & 1) != 0;
      if (!goes_on) leave_ray(lane);
    }
  }

  const MarchParams& params_;
  std::size_t next_;  // of `alive`
  const std::size_t end_;
  alignas(64) float planes_[kPlanes][kPackLanes] = {};
  RayMarch rays_[kPackLanes];
  std::size_t place_[kPackLanes] = {};  // of a lane's ray in `alive`
  int found_[kPackLanes] = {};          // samples of a lane's ray
  std::uint32_t busy_ = 0;              // a bit for each lane with a ray
};

}  // namespace

void march_rays(const MarchParams& params, std::size_t begin, std::size_t end) {
  MarchingLanes(params, begin, end).run();
}

}  // namespace mote::MOTE_ISA
