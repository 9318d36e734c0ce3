#pragma once

// `mote_features 1`: splats with features, and the network that makes their colours
// (splats/kinds/feature_decoder.h), in the .ply of 3D Gaussians. docs/moving.md has the
// specification. Other programs read the colours of the base features.

#include <string>

#include "io/splats/ply_columns.h"
#include "io/splats/ply_header.h"
#include "splats/splat_cloud.h"

namespace mote {

/// Whether the header says that the vertices have features. Throws Error for a version that this
/// program does not read.
bool has_ply_features(const PlyHeader& header, const std::string& name);

/// Adds the columns of the features.
void add_ply_features(PlyColumns& columns);

/// Reads the network into a cloud whose features are read. Throws Error for a damaged one.
void read_ply_decoder(const InputFile& file, const PlyHeader& header, SplatCloud& cloud);

/// The header's comments, the properties of the features, and the element of the network, which
/// follows the vertices. Each is lines.
std::string ply_feature_comments(const SplatCloud& cloud);
std::string ply_feature_properties();
std::string ply_decoder_element();

/// Writes the rows of the element.
void write_ply_decoder(const SplatCloud& cloud, OutputFile& file);

}  // namespace mote
