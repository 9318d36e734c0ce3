#pragma once

#include <string>

#include "core/options.h"
#include "io/image_files.h"

namespace mote {

/// Options that several commands have, described once.

inline constexpr double kLeastSequenceRate = 0.01, kMostSequenceRate = 1000;

/// Adds --threads.
void describe_threads(OptionTable& table, int& threads);
/// Adds --threads and --isa.
void describe_cpu_options(OptionTable& table, int& threads, std::string& isa);
/// Adds --antialiased: auto, on or off.
void describe_antialiased(OptionTable& table, std::string& antialiased);
/// Adds --sequence-fps, under a heading.
void describe_sequence_rate(OptionTable& table, double& rate, std::string group = "Options");
/// Adds --out for the folder of a dataset that is made, which must be given.
void describe_dataset_folder(OptionTable& table, std::string& out, std::string placeholder);

/// Throws Error, with `remedy`, where the folder holds anything, unless `yes` allows that.
void check_new_folder(const std::string& folder, bool yes, const std::string& remedy);

/// "400x300" as width and height. Throws UsageError, naming `flag`, for anything but WxH, each from
/// 1 to kMaxImageSide.
ImageSize parse_image_size(const std::string& text, const std::string& flag);

}  // namespace mote
