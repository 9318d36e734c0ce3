#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/options.h"
#include "fields/neural_field.h"
#include "scene/dataset.h"

namespace mote {

/// Options of training a neural field, except for those that every model has. The options table
/// yields flags, JSON keys (config.json) and rows of the control panel.
struct FieldOptions {
  std::string network;  // configuration of tiny-cuda-nn or instant-ngp; empty: the default
  std::string encoding = "hash";      // "hash", "dense" or "low-resolution"
  int batch = 0;                      // samples of a step; 0: samples_per_step() chooses
  double lr_factor = 1;               // on the learning rate of the configuration
  int aabb_scale = 0;                 // 0: chosen by the dataset
  int latents = -1;                   // of a NeRF: learned numbers of each photograph; -1: those
                                      // of init_field, else the dataset's
  bool error_map = false;             // of a NeRF: half of the pixels are chosen by their errors
  double eikonal = 0;                 // weight of the eikonal loss; of signed distances only
  std::string march_step = "2";       // of a NeRF: FieldTrainerSettings::first_steps
  int occupancy_samples = 1 << 22;    // the same
  std::string sampler = "occupancy";  // of a NeRF: "occupancy" or "proposal"
  double distortion = 0.002;          // with proposals: FieldStepRequest::distortion_weight
  std::string grid_sums = "exact";    // "exact" or "fast": FieldOptimizer::repeatable
  std::string init_field;             // snapshot that the run starts from; empty: random numbers
  std::string parameter_format = "half";  // of the snapshots that a run leaves: "half" or "float"
  bool optimizer_state = false;           // whether they have the state of the optimiser

  void describe(OptionTable& table);
  /// Throws UsageError if a value is wrong for every dataset.
  void check() const;
  bool has_proposals() const { return sampler == "proposal"; }
  /// Side of the cube of a NeRF; 0: chosen by the dataset. With proposals, the cube has all of
  /// space, so that the dataset does not matter.
  int cube_side() const;
};

/// The learned numbers of each photograph, unless they are those of a snapshot.
int latents_of_run(const FieldOptions& options, const Dataset& dataset);

/// Adds the latents of the run to the complete configuration of a NeRF. If it is that of a snapshot
/// with latents, these stay unless an option or the dataset has another number.
FieldConfig with_latents_of_run(FieldConfig complete, const FieldOptions& options,
                                const Dataset& dataset);

/// Samples of a step, of a radiance field those along its rays.
std::size_t samples_per_step(const FieldOptions& options, FieldApplication application);

/// Whether the file of --network names the encoding of positions, so that `encoding` has no effect.
/// Throws Error if it cannot be read.
bool network_names_encoding(const FieldOptions& options);

/// The configuration that the options describe, without the parts that the application fills in.
/// Throws Error if the file cannot be read or used.
FieldConfig chosen_config(const FieldOptions& options, FieldApplication application);

/// Throws the Error that is being handled, at the place of the key that it names.
[[noreturn]] void rethrow_at_config_key(const FieldOptions& options);

/// Returns work(), which uses the configuration of the options. For a value of their file that the
/// field or the device cannot have, the Error names the file and the line of the key.
template <class Work>
auto with_config_places(const FieldOptions& options, const Work& work) {
  try {
    return work();
  } catch (const Error&) {
    rethrow_at_config_key(options);
  }
}

}  // namespace mote
