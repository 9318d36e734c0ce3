#pragma once

// Training that starts from a snapshot, FieldOptions::init_field, instead of random parameters.

#include <cstdint>
#include <optional>

#include "fields/neural_field.h"
#include "fields/optimizer_state.h"
#include "train/fields/field_options.h"

namespace mote {

/// The configuration of the snapshot. Throws Error if it cannot be read, or is a field of another
/// application.
FieldConfig start_config(const FieldOptions& options, FieldApplication application);

/// A fingerprint of the snapshot's place and size in the world, and of the box that is drawn.
/// Throws Error as start_config() does.
std::uint64_t start_place(const FieldOptions& options, FieldApplication application);

/// start_from_snapshot() without the parameters, which are not read.
void place_as_snapshot(const FieldOptions& options, NeuralField& field);

/// Gives `field`, which has its complete configuration, the parameters of the snapshot, and a NeRF
/// its place. Throws Error if the snapshot has other encodings or networks, another place of a
/// surface or a volume, latents or proposals, or if an option contradicts it, and Interrupted.
void start_from_snapshot(const FieldOptions& options, NeuralField& field);

/// The state of the optimiser in the snapshot; empty if the file has none. Throws Error and
/// Interrupted.
std::optional<OptimizerState> start_state(const FieldOptions& options);

}  // namespace mote
