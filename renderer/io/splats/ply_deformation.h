#pragma once

// `mote_deformation 1`: splats and the field that moves them (motion `field`) in the .ply of 3D
// Gaussians. docs/moving.md has the specification. Other programs read the splats before the field
// moves them.

#include <string>

#include "io/splats/ply_header.h"
#include "splats/splat_cloud.h"

namespace mote {

/// Reads the field of the header's element into the cloud; none if the header names none. Throws
/// Error for a version that this program does not read, and for a field that is damaged.
void read_ply_deformation(const InputFile& file, const PlyHeader& header, SplatCloud& cloud);

/// The header's comments, each a line, and the element, which follows the vertices.
std::string ply_deformation_comments(const SplatCloud& cloud);
std::string ply_deformation_element(const SplatCloud& cloud);

/// Writes the rows of the element.
void write_ply_deformation(const SplatCloud& cloud, OutputFile& file);

}  // namespace mote
