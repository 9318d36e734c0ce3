#include "app/jobs/shared_options.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <system_error>

#include "core/image.h"

namespace mote {

void describe_threads(OptionTable& table, int& threads) {
  table.add({.name = "threads",
             .target = &threads,
             .help = "number of CPU threads; 0: all that this process may use",
             .minimum = 0,
             .maximum = 1024,
             .zero = "all"});
}

void describe_cpu_options(OptionTable& table, int& threads, std::string& isa) {
  describe_threads(table, threads);
  table.add({.name = "isa",
             .target = &isa,
             .help = R"(CPU instruction set; default: the best one supported by this machine)",
             .placeholder = "v2|v3|v4|v4bf16|v4amx"});
}

void describe_antialiased(OptionTable& table, std::string& antialiased) {
  table.add({.name = "antialiased",
             .target = &antialiased,
             .help = R"(compensate the dilation of small splats; auto: as stored in the file)",
             .aliases = {"--antialias"},
             .choices = {"auto", "on", "off"},
             .implied = "on"});
}

void describe_precision(OptionTable& table, std::string& precision) {
  table.add(
      {.name = "precision",
       .target = &precision,
       .help =
           R"(fast: harmonics, colours and transmittance in half precision, on CUDA devices only)",
       .choices = kPrecisionNames});
}

Precision precision_named(const std::string& name) {
  return name == kPrecisionNames[0] ? Precision::exact : Precision::fast;
}

void describe_surface_color(OptionTable& table, std::vector<double>& color) {
  table.add({.name = "surface-color",
             .target = &color,
             .help = "signed distance field: colour of its surface in white light",
             .minimum = 0,
             .maximum = 1,
             .length = 3,
             .placeholder = "R,G,B"});
}

void describe_sequence_rate(OptionTable& table, double& rate, std::string group) {
  table.add({.name = "sequence-fps",
             .target = &rate,
             .help = "frames per second of a folder with one splat file per frame",
             .minimum = kLeastSequenceRate,
             .maximum = kMostSequenceRate,
             .group = std::move(group)});
}

void describe_stream_memory(OptionTable& table, double& memory_gb) {
  table.add({.name = "memory",
             .target = &memory_gb,
             .help = "memory for the splats of a moving scene in a .4dgs file; a larger scene is "
                     "streamed from the file; 0: half of the free memory",
             .unit = "GB",
             .minimum = 0,
             .maximum = 1e6});
}

void describe_dataset_folder(OptionTable& table, std::string& out, std::string placeholder) {
  table.add({.name = "out",
             .target = &out,
             .help = "folder for the dataset; created if missing",
             .aliases = {"-o", "--output-dir"},
             .placeholder = std::move(placeholder),
             .required = true});
}

void check_new_folder(const std::string& folder, bool yes, const std::string& remedy) {
  namespace fs = std::filesystem;
  std::error_code fault;
  if (!yes && fs::is_directory(folder, fault) && !fs::is_empty(folder, fault) && !fault) {
    throw Error("the folder is not empty", folder, remedy);
  }
}

ImageSize parse_image_size(const std::string& text, const std::string& flag) {
  ImageSize size{};
  const char* end = text.data() + text.size();
  const auto width = std::from_chars(text.data(), end, size.width);
  const bool separated =
      width.ec == std::errc() && width.ptr != end && (*width.ptr == 'x' || *width.ptr == 'X');
  const auto height = std::from_chars(separated ? width.ptr + 1 : end, end, size.height);
  const auto allowed = [](int side) { return side >= 1 && side <= kMaxImageSide; };
  if (!separated || height.ec != std::errc() || height.ptr != end || !allowed(size.width) ||
      !allowed(size.height)) {
    throw UsageError(
        fmt::format("'{}' is not an image size", text), flag,
        fmt::format("write WIDTHxHEIGHT, each from 1 to {}, as in 1280x720", kMaxImageSide));
  }
  return size;
}

}  // namespace mote
