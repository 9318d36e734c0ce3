#pragma once

#include <string>
#include <vector>

#include "backend/backend.h"
#include "core/options.h"
#include "io/images/image_files.h"

namespace mote {

/// Options that several commands share.

inline constexpr double kLeastSequenceRate = 0.01, kMostSequenceRate = 1000;

/// Adds --threads.
void describe_threads(OptionTable& table, int& threads);
/// Adds --threads and --isa.
void describe_cpu_options(OptionTable& table, int& threads, std::string& isa);
/// Adds --antialiased: auto, on or off.
void describe_antialiased(OptionTable& table, std::string& antialiased);
/// In the order of Precision.
inline const std::vector<std::string> kPrecisionNames{"exact", "fast"};
/// Adds --precision, one of kPrecisionNames.
void describe_precision(OptionTable& table, std::string& precision);
Precision precision_named(const std::string& name);
/// The default of --surface-color.
inline std::vector<double> usual_surface_color() {
  return {kUsualSurfaceColor.begin(), kUsualSurfaceColor.end()};
}
/// Adds --surface-color.
void describe_surface_color(OptionTable& table, std::vector<double>& color);
/// Adds --sequence-fps under the heading `group`.
void describe_sequence_rate(OptionTable& table, double& rate, std::string group = "Options");
/// Adds --memory: GB for the splats of a .4dgs scene, see streamed_if_large().
void describe_stream_memory(OptionTable& table, double& memory_gb);
/// Adds the required option --out, for the folder of a new dataset.
void describe_dataset_folder(OptionTable& table, std::string& out, std::string placeholder);

/// Throws Error, with `remedy`, if the folder is not empty, unless `yes` allows that.
void check_new_folder(const std::string& folder, bool yes, const std::string& remedy);

/// Parses "400x300". Throws UsageError, which names `flag`, for anything but WxH with sides from 1
/// to kMaxImageSide.
ImageSize parse_image_size(const std::string& text, const std::string& flag);

}  // namespace mote
