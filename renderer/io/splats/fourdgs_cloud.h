#pragma once

// The parts that readers and writers of .4dgs files share: splats of a chunk as splats of Mote.

#include <array>
#include <span>
#include <string>

#include "io/fourdgs/states.h"
#include "io/splats/fourdgs_lives.h"
#include "splats/splat_cloud.h"

namespace mote::fourdgs {

inline constexpr std::array<Field, 3> kMeanFields{Field::mean_x, Field::mean_y, Field::mean_z};
inline constexpr std::array<Field, 3> kScaleFields{Field::log_scale_x, Field::log_scale_y,
                                                   Field::log_scale_z};
inline constexpr std::array<Field, 3> kVelocityFields{Field::velocity_x, Field::velocity_y,
                                                      Field::velocity_z};
inline constexpr std::array<Field, 4> kRotationFields{Field::rotation_x, Field::rotation_y,
                                                      Field::rotation_z, Field::rotation_w};

/// The attribute of the header that says for which kernel the splats were trained.
inline constexpr const char* kAntialiasedAttribute = "mote_antialiased";
/// The attribute of the header with the number of lives in each chunk, separated by commas. All
/// pieces of a life are then in one chunk, so that each chunk can be read alone.
inline constexpr const char* kLivesAttribute = "mote_lives";
/// The attribute of the header that says that the lives of each chunk are in the order in which
/// they are drawn, that of morton_order().
inline constexpr const char* kOrderAttribute = "mote_order";

/// The attribute of the header with the frames per second of a scene that moves.
inline constexpr const char* kRateAttribute = "mote_frames_per_second";

/// The times of a scene that moves.
SceneTimes times_of(const Header& header);

/// The place of a coefficient of a channel in SplatList::harmonics. `coefficient`: from 1 on.
std::size_t harmonic_place(int coefficient, int channel);

/// Writes a life over splat i of the cloud. `harmonics`: of the life, as in SplatList.
void store(const LifeSplat& life, std::span<const float> harmonics, std::size_t i,
           SplatCloud& cloud);

/// The warning about FoundLives::cut.
std::string cut_warning(std::size_t cut);

}  // namespace mote::fourdgs
