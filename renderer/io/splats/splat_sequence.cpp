#include "io/splats/splat_sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>

#include "core/error.h"
#include "core/folders.h"
#include "io/splats/moving/delta_ply.h"
#include "io/splats/scene_format.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFramesRemedy =
    "keep the frames of one scene in a separate folder, in one format and with names that differ "
    "in one number, such as frame_0001.ply and frame_0002.ply; or open one of the files";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

struct Candidate {
  fs::path path;
  std::string stem;
  const SceneFormat* format = nullptr;
};

std::vector<Candidate> candidates_in(const fs::path& folder) {
  std::vector<Candidate> found;
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    throw Error("is not a folder of frames", folder.string(), "check the spelling of the path");
  }
  for (const fs::path& path : folder_entries(folder)) {
    const std::string name = path.filename().string();
    const SceneExtension extension = scene_extension(path);
    if (extension.format == nullptr || !extension.format->is_frame || name.starts_with('.') ||
        !fs::is_regular_file(path, ignored)) {
      continue;
    }
    found.push_back({path, name.substr(0, name.size() - extension.length), extension.format});
  }
  return found;
}

/// Splits a name into text and runs of digits, alternating, text first: digits have odd indices.
std::vector<std::string_view> pieces_of(std::string_view stem) {
  std::vector<std::string_view> pieces;
  std::size_t start = 0;
  for (bool digits = false; start < stem.size() || pieces.empty(); digits = !digits) {
    std::size_t end = start;
    while (end < stem.size() && is_digit(stem[end]) == digits) ++end;
    pieces.push_back(stem.substr(start, end - start));
    start = end;
  }
  return pieces;
}

/// The only index where the two differ, if it is a run of digits.
std::optional<std::size_t> only_difference(const std::vector<std::string_view>& a,
                                           const std::vector<std::string_view>& b) {
  if (a.size() != b.size()) return {};
  std::optional<std::size_t> place;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    if (place || i % 2 == 0) return {};
    place = i;
  }
  return place;
}

/// Numbers of any length, compared as text with shorter ones first.
std::string_view without_zeros(std::string_view digits) {
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

bool lower_number(std::string_view a, std::string_view b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

[[noreturn]] void refuse(const Candidate& a, const Candidate& b, std::string_view why,
                         const fs::path& folder) {
  throw Error(
      fmt::format("'{}' and '{}' {}", a.path.filename().string(), b.path.filename().string(), why),
      folder.string(), kFramesRemedy);
}

/// The index of the number in all names.
std::size_t place_of_number(const std::vector<Candidate>& files, const fs::path& folder) {
  const std::vector<std::string_view> first = pieces_of(files[0].stem);
  std::optional<std::size_t> place;
  for (std::size_t i = 1; i < files.size(); ++i) {
    if (files[i].format != files[0].format) {
      refuse(files[0], files[i], "have different formats, so they are not frames of one scene",
             folder);
    }
    const auto differs = only_difference(first, pieces_of(files[i].stem));
    if (!differs || (place && *place != *differs)) {
      refuse(files[0], files[i], "do not have names of frames of one scene", folder);
    }
    place = differs;
  }
  return *place;
}

}  // namespace

std::optional<SplatSequence> find_sequence(const fs::path& folder) {
  std::vector<Candidate> files = candidates_in(folder);
  if (files.size() < 2) return {};
  const std::size_t place = place_of_number(files, folder);
  const auto number = [place](const Candidate& file) {
    return without_zeros(pieces_of(file.stem)[place]);
  };
  std::sort(files.begin(), files.end(), [&](const Candidate& a, const Candidate& b) {
    return lower_number(number(a), number(b));
  });
  SplatSequence sequence{.folder = folder, .frames = {}};
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (i > 0 && number(files[i - 1]) == number(files[i])) {
      refuse(files[i - 1], files[i], "have the same number", folder);
    }
    sequence.frames.push_back(files[i].path);
  }
  return sequence;
}

std::optional<SplatSequence> sequence_in_file(const fs::path& file) {
  const std::size_t frames = delta_frame_count(file);
  if (frames < 2) return {};
  return SplatSequence{
      .folder = file, .frames = std::vector<fs::path>(frames, file), .in_one_file = true};
}

}  // namespace mote
