#pragma once

#include <string>
#include <vector>

#include "io/splats/scene_format.h"

namespace mote {

// Lists of the formats for help texts, messages and dialogs, made from the table of formats.

enum class FormatUse { read, write };

/// Extensions of the formats, with the dot, shortest first: ".ply", ".spz", ".compressed.ply".
std::vector<std::string> format_extensions(FormatUse use);
/// The same of the formats whose files hold the model.
std::vector<std::string> format_extensions(FormatUse use, ModelKind model);
/// The same without those that end in a shorter one: .ply also covers .compressed.ply.
std::vector<std::string> shortest_extensions(FormatUse use);
/// The strength of each format that can be written, for a user who chooses one: ".ply: most
/// programs read it; .spz: small files".
std::string format_strengths();
/// The extensions with the models that their files hold, for a sentence: ".ply, .spz or
/// .compressed.ply of 3D Gaussian splats".
std::string formats_with_models();

}  // namespace mote
