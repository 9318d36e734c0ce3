#pragma once

#include <string>

#include "backend/backward_form.h"
#include "core/options.h"
#include "scene/dataset.h"
#include "splats/kinds/splat_kind.h"
#include "train/run/run_options.h"

namespace mote {

/// Learning rates of Adam. Those of positions are multiplied by the scene extent.
struct RateOptions {
  double mean = 1.6e-4, mean_end = 1.6e-6;  // log-linear from the first step to the last
  double scale = 5e-3, rotation = 1e-3, opacity = 5e-2;
  double sh_0 = 2.5e-3, sh_rest = 1.25e-4;
  double beta = 1e-3;  // of the kernel of beta splats
  // Rates of motions: times are multiplied by the duration of the scene, velocities by its extent
  // and divided by that duration; their rate falls log-linearly.
  double time_mean = 1.6e-4, time_sigma = 5e-3, time_plateau = 5e-3;
  double velocity = 1e-2, velocity_end = 1e-4;
  // Those of Spacetime Gaussians (Li et al. 2024): 1.75 times that of positions at the start,
  // divided by the duration to the power of 2 or 3; quaternions are divided by the duration.
  double curve = 2.8e-4, spin = 1e-4;
  // Those of splats that depend on the direction of view; slopes are multiplied by the extent of
  // the scene, and their rate falls log-linearly.
  double direction_mean = 1e-3, direction_sigma = 5e-3;
  double slope = 1.6e-4, slope_end = 1.6e-6;
  // Those of the network and of the planes of a deformation field, which fall log-linearly.
  double deformation = 1e-2, deformation_end = 1e-4;
  double plane = 2e-2, plane_end = 2e-4;

  void describe(OptionTable& table);
};

/// When and how the set of splats changes. 0 means the published value of the strategy.
struct DensifyOptions {
  int from = 500;    // steps; at most a tenth of the run
  double until = 0;  // fraction of the run
  int every = 100;   // steps
  double prune_opacity = 0.005;
  double birth_share = 0.3;  // relocation: of the dead splats that move
  // adc
  double gradient = 0;                           // mean norm in normalised device coordinates
  double clone_scale = 0.01, prune_scale = 0.1;  // relative to the scene extent
  double prune_radius_px = 0;
  int opacity_reset_every = 3000;  // steps
  // mcmc
  double growth = 0;  // factor per event; more than published in short runs
  double noise = 5e5, opacity_regularizer = 0.01, scale_regularizer = 0.01;
};

/// The losses of surfels (Huang et al. 2024). The published steps are for runs of 30,000 steps.
struct SurfaceOptions {
  double distortion_weight = 0, normal_weight = 0.05;
  int distortion_from = 3000;  // steps; at most a tenth of the run
  int normal_from = 7000;      // steps; at most 7/30 of the run
};

/// A deformation field (Wu et al. 2024, the values for D-NeRF).
struct DeformationOptions {
  int from = 3000;      // steps without it; at most a tenth of the run
  int resolution = 64;  // nodes of the coarser planes along x, y and z
  int moments = 25;     // nodes along time
  // Weights of the losses of the planes.
  double plane_smoothness = 1e-4, time_smoothness = 1e-2, time_sparsity = 1e-4;
};

/// All options of training splats, except for the dataset and the device. The options table yields
/// flags, JSON keys (config.json) and rows of the control panel.
struct TrainOptions : LoopOptions {
  std::string kind = "gaussian";     // a name of kind_names()
  std::string motion = "auto";       // "auto", "field" or the name of a motion; see settled()
  std::string velocity = "learned";  // or "none": splats with lives do not move
  std::string strategy = "adc";      // a name of strategies()
  int sh_degree = 3;
  std::string init = "points";              // "points", "random" or a scene file
  bool random_init = false;                 // the same as init "random"
  int init_count = 100000;                  // number of random splats
  double init_opacity = 0, init_scale = 0;  // 0: the strategy's values
  int max_splats = 0;                       // 0: splat_limit() decides
  int target_splats = 0;                    // final number of splats; 0: by the strategy's rules
  double splat_memory_gb = 0;               // of moving splats; 0: all are in memory
  bool antialiased = false, absgrad = false;
  std::string backward = "strips";  // or "buckets"; see BackwardForm
  int sh_every = 1000;              // steps; at most an eighth of the run
  RateOptions rates;
  DensifyOptions densify;
  SurfaceOptions surface;
  DeformationOptions deformation;

  void describe(OptionTable& table);
  /// Throws UsageError if a value is wrong for every dataset.
  void check() const;
};

/// The kind named by `options.kind`.
SplatKind splat_kind(const TrainOptions& options);
/// The form of the splats. The motion "auto" stands for splats that stand still, and those that a
/// field moves have no motion of their own.
SplatForm splat_form(const TrainOptions& options);
/// Whether splats with that motion depend on time.
bool moves(const TrainOptions& options);

/// Whether relocation moves splats to places where pictures differ from photographs.
bool has_births(const TrainOptions& options);

/// Whether a deformation field moves the splats.
bool is_deformed(const TrainOptions& options);

/// The options with the motion that "auto" stands for: life for a dataset with photographs of
/// different times, else still. Splats with lives are trained by relocation in place of adc.
TrainOptions settled(const TrainOptions& options, const Dataset& dataset);

/// The form named by `options.backward`.
BackwardForm backward_form(const TrainOptions& options);

/// Whether `options.init` names a scene file.
bool starts_from_file(const TrainOptions& options);
/// Whether the splats start at the points of the dataset, if there are enough.
bool starts_from_points(const TrainOptions& options);

}  // namespace mote
