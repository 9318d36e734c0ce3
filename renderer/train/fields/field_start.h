#pragma once

// Training that starts from a snapshot, FieldOptions::init_field, instead of random parameters.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fields/neural_field.h"
#include "fields/optimizer_state.h"
#include "train/fields/field_options.h"

namespace mote {

/// The configuration of the snapshot. Throws Error if it cannot be read, or is a field of another
/// application.
FieldConfig start_config(const FieldOptions& options, FieldApplication application);

/// A fingerprint of the snapshot's place and size in the world, of the box that is drawn, and of
/// the proposals that choose its samples, without their parameters. Throws Error as start_config()
/// does.
std::uint64_t start_place(const FieldOptions& options, FieldApplication application);

/// start_from_snapshot() without parameters and latents, which are not read.
void place_as_snapshot(const FieldOptions& options, NeuralField& field);

/// Gives `field`, which has its complete configuration, the parameters of the snapshot, and a NeRF
/// its place, its proposals, and its latents if they are of as many `photographs`. Returns warnings
/// for the user, each a phrase. Throws Error if the snapshot has other encodings or networks,
/// another number of latents, another place of a surface or a volume, or samples of another kind,
/// or if an option contradicts it, and Interrupted.
std::vector<std::string> start_from_snapshot(const FieldOptions& options, std::size_t photographs,
                                             NeuralField& field);

/// The states of the optimisers in the snapshot; empty if the file has none. Throws Error and
/// Interrupted.
std::optional<OptimizerStates> start_states(const FieldOptions& options);

}  // namespace mote
