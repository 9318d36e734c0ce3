#include "io/images/own_file.h"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <system_error>

#include "core/error.h"
#include "io/images/exr_codec.h"
#include "io/images/png_codec.h"

namespace mote {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kHeadBytes = 4096;  // the mark is near the beginning
constexpr std::uint64_t kMostJsonBytes = std::uint64_t{1} << 28;

/// The first bytes of a marked file and the text near them.
struct Mark {
  std::string_view magic, text;
};

constexpr Mark kMarks[] = {
    {"\x89PNG\r\n\x1a\n"sv, "tEXtSoftware\0Mote"sv},
    {"\x76\x2f\x31\x01"sv, "software\0string\0\4\0\0\0Mote"sv},
    {"ply\n"sv, "\ncomment Software: Mote\n"sv},
};

bool is_marked_json(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  return json.is_object() && json.contains("software") && json["software"] == kSoftware;
}

}  // namespace

bool is_written_by_mote(const std::filesystem::path& path) {
  try {
    const InputFile file(path);
    std::string head(kHeadBytes, '\0');
    head.resize(file.read_some(0, std::as_writable_bytes(std::span(head))));
    for (const Mark& mark : kMarks) {
      if (head.starts_with(mark.magic)) return head.find(mark.text) != std::string::npos;
    }
    return head.starts_with('{') && is_marked_json(read_text_file(path, kMostJsonBytes));
  } catch (const Error&) {
    return false;  // unreadable, so not recognised
  }
}

Existing own_file(const std::filesystem::path& path, bool replace) {
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) {
    return Existing::keep;
  }
  if (std::filesystem::is_directory(path, ignored)) {
    throw Error("is a directory, expected a file to write", path.string(),
                "move it, or choose another folder");
  }
  if (!replace) {
    throw Error("exists already", path.string(), "overwrite it with -y, or choose another folder");
  }
  if (!is_written_by_mote(path)) {
    throw Error("exists already and was not written by Mote", path.string(),
                "move it, or choose another folder");
  }
  return Existing::replace;
}

void write_own_png(const Image& image, const std::filesystem::path& path, bool replace) {
  OutputFile file(path, own_file(path, replace));
  encode_png(image, file, path.string());
  file.commit();
}

void write_own_exr(const Image& image, const std::vector<std::string>& channel_names,
                   const std::filesystem::path& path, bool replace) {
  OutputFile file(path, own_file(path, replace));
  encode_exr(image, channel_names, file);
  file.commit();
}

}  // namespace mote
