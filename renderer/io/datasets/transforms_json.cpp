#include "io/datasets/transforms_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "core/json_text.h"
#include "core/spelling.h"
#include "io/datasets/transforms_frame.h"
#include "io/datasets/transforms_hints.h"
#include "io/json_object.h"

// Sources: the NeRF-synthetic data of Mildenhall et al. 2020; D-NeRF of Pumarola et al. 2021 (one
// `time` per frame); instant-ngp, docs/nerf_dataset_tips.md; nerfstudio,
// docs/quickstart/data_conventions.

namespace mote {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMaxTransformsBytes = 1ull << 30;

/// Quotes bare NaN and Infinity, which Python writes although JSON does not allow them. As strings
/// they are non-numbers, which the reader of the value rejects or skips.
std::string with_words_quoted(const std::string& text) {
  static constexpr std::array<std::string_view, 3> kWords{"NaN", "Infinity", "-Infinity"};
  std::string result;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = std::string_view(text).substr(i);
    const auto* word = std::ranges::find_if(
        kWords, [&](std::string_view known) { return !in_string && rest.starts_with(known); });
    if (word != kWords.end()) {
      result.append("\"").append(*word).append("\"");
      i += word->size();
      continue;
    }
    if (rest[0] == '"') in_string = !in_string;
    const std::size_t count = in_string && rest[0] == '\\' ? 2 : 1;
    result += rest.substr(0, count);
    i += count;
  }
  return result;
}

json parse(const std::filesystem::path& path) {
  const std::string text = read_text_file(path, kMaxTransformsBytes);
  try {
    return parsed_json(text, path.string(), "correct the file or write it again");
  } catch (const Error&) {
    json value = json::parse(with_words_quoted(text), nullptr, false);
    if (value.is_discarded()) throw;
    return value;
  }
}

/// The frames of the file. Throws Error where it is not a transforms file.
const json& frames_of(const json& top, const std::string& file) {
  const auto frames = top.is_object() ? top.find("frames") : top.end();
  if (!top.is_object() || frames == top.end() || !frames->is_array()) {
    throw Error("expected an object with a list `frames`", file,
                "give a transforms.json of NeRF, instant-ngp or nerfstudio");
  }
  if (frames->empty()) {
    throw Error("the list is empty", file + ", frames", "add at least one frame");
  }
  return *frames;
}

/// Sets the size from the file, the image or the fallback; 0 where an image is needed and missing.
void set_size(const TransformsFrame& frame, const TransformsRequest& request, PosedImage& image) {
  std::optional<ImageSize> size = frame.size();
  if (!size && !image.image.empty()) size = read_image_size(image.image);
  if (!size) size = request.fallback_size;
  if (!size && request.images_needed) return;
  if (!size) {
    frame.fail(frame.number("w") ? "h" : "w", "the image size is missing, and so is the image",
               "add w and h to the file, put the images beside it, or give --size");
  }
  image.camera.width = size->width;
  image.camera.height = size->height;
}

/// instant-ngp's mask of an image: "dynamic_mask_NAME.png" in its folder; empty if there is none.
std::filesystem::path dynamic_mask_beside(const std::filesystem::path& image) {
  if (image.empty()) return {};
  std::filesystem::path mask =
      image.parent_path() / ("dynamic_mask_" + image.stem().string() + ".png");
  std::error_code ignored;
  return std::filesystem::is_regular_file(mask, ignored) ? mask : std::filesystem::path();
}

/// Reads one frame except its pose.
PosedImage read_frame(const TransformsFrame& frame, const TransformsRequest& request,
                      const ImageFinder& finder) {
  PosedImage image;
  image.file = frame.text("file_path");
  image.mask = frame.text("mask_path");
  image.has_time = frame.number("time").has_value();
  image.time_s = frame.number("time").value_or(0);
  image.camera_name = frame.text("camera_name");
  image.clock_offset_s = frame.number("clock_offset_s").value_or(0);
  image.frames_per_second = frame.number("frames_per_second").value_or(0);
  image.lens = frame.lens();
  image.camera_model = frame.camera_model();
  image.calibration = frame.where();
  if (image.camera_model.empty()) {
    image.camera_model = is_identity(image.lens) ? "PINHOLE" : "OPENCV";
  }
  frame.require_intrinsics();
  frame.shutter_times();  // damaged ones are no reason to leave out a frame
  if (request.images_needed || !frame.size()) {
    if (auto found = finder.find(image.file)) image.image = *std::move(found);
  }
  const auto find_truth = [&](const char* key, std::filesystem::path& file) {
    const std::string path = frame.text(key);
    if (request.images_needed && !path.empty()) {
      file = finder.find(path).value_or(std::filesystem::path());
    }
  };
  find_truth("dynamic_mask_path", image.dynamic_mask);
  find_truth("scene_flow_path", image.scene_flow);
  image.uncounted = dynamic_mask_beside(image.image);
  set_size(frame, request, image);
  if (image.camera.width > 0) frame.read_intrinsics(image.camera);
  return image;
}

/// Frames left out for the same reason.
struct Skipped {
  LeftOut frames;
  std::optional<Error> first;

  /// Runs `check` for the frame `name`. Returns false and records the frame where it throws Error.
  bool passes(const std::string& name, const std::function<void()>& check) {
    const auto fault = attempt(check);
    if (!fault) return true;
    if (!first) first = fault;
    frames.add(name);
    return false;
  }
};

/// The key at the end of the place of an error.
std::string key_of(const Error& error) {
  const std::string& where = error.where();
  const std::size_t comma = where.rfind(", ");
  return comma == std::string::npos ? where : where.substr(comma + 2);
}

/// Gives frames without a time one by their place in the file, as the loader of D-NeRF does, if
/// others have one.
void fill_times(const std::vector<std::size_t>& places, std::size_t frames, const std::string& file,
                PosedImages& posed) {
  LeftOut timeless;
  for (const PosedImage& image : posed.images) {
    if (!image.has_time) timeless.add(image.file);
  }
  if (timeless.count() == 0 || timeless.count() == posed.images.size()) return;
  for (std::size_t i = 0; i < places.size(); ++i) {
    PosedImage& image = posed.images[i];
    if (image.has_time) continue;
    image.time_s = static_cast<double>(places[i]) / static_cast<double>(frames - 1);
    image.has_time = true;
  }
  posed.warnings.push_back(
      file + ": " +
      timeless.phrase(posed.images.size(),
                      "frames have no time and get one by their place, from 0 for the first frame "
                      "to 1 for the last; add `time` to these frames"));
}

/// Reads all frames. Leaves out those without a usable pose, and those without an image's name if
/// images are needed.
void read_frames(const json& top, const std::string& file, const TransformsRequest& request,
                 const ImageFinder& finder, TransformsFile& result) {
  PosedImages& posed = result.posed;
  const json& frames = frames_of(top, file);
  Skipped poseless, nameless;
  std::size_t number = 0;
  FrameHints hints;
  std::vector<std::size_t> places;  // in the list, of each image
  for (const json& entry : frames) {
    std::string title = fmt::format("frame {}", number++);
    std::string where = file + ", " + title;
    if (!entry.is_object()) {
      throw Error("expected an object, found " + quoted(entry), where, "correct the frame");
    }
    const std::string name = TransformsFrame(top, entry, where).text("file_path");
    if (!name.empty()) title += fmt::format(" ({})", name.substr(0, 80));
    const TransformsFrame frame(top, entry, file + ", " + title);
    PosedImage image = read_frame(frame, request, finder);
    const bool has_name = nameless.passes(title, [&] {
      if (!name.empty() || !request.images_needed) return;
      frame.fail("file_path", "is missing", "add the path of this frame's image");
    });
    if (has_name && poseless.passes(title, [&] { image.motion = frame.read_pose(image.camera); })) {
      posed.images.push_back(std::move(image));
      places.push_back(number - 1);
      hints.read(entry, title);
    }
  }
  fill_times(places, frames.size(), file, posed);
  if (posed.images.empty()) throw poseless.first ? *poseless.first : *nameless.first;
  result.sharpness.push_back(hints.finish(top, file, posed));
  if (nameless.first) {
    posed.warnings.push_back(
        nameless.frames.phrase(frames.size(), "frames have no file_path and are left out"));
  }
  if (poseless.first) {
    posed.warnings.push_back(
        poseless.frames.phrase(frames.size(), "frames have an unusable pose and are left out") +
        "; the first: " + key_of(*poseless.first) + " " + poseless.first->problem());
  }
}

/// One of nerfstudio's file lists.
class NameList {
 public:
  /// Names are compared by the paths that they lead to from `folder`.
  NameList(const json& top, const char* key, const std::filesystem::path& file)
      : folder_(file.parent_path()) {
    const auto list = top.find(key);
    if (list == top.end() || list->is_null()) return;
    if (!list->is_array()) {
      throw Error("expected a list, found " + quoted(*list), file.string() + ", " + key,
                  "correct the list");
    }
    for (const json& name : *list) {
      if (name.is_string()) names_.insert(normal(name.get<std::string>()));
    }
  }

  bool empty() const { return names_.empty(); }
  bool holds(const std::string& name) const { return names_.contains(normal(name)); }
  /// Counts the names that are not in `known`.
  void find_strangers(const NameList& known, LeftOut& strangers) const {
    for (const std::string& name : names_) {
      if (!known.names_.contains(name)) strangers.add(name);
    }
  }
  std::size_t count() const { return names_.size(); }
  void add(const std::string& name) { names_.insert(normal(name)); }

 private:
  std::string normal(std::string name) const {
    std::ranges::replace(name, '\\', '/');
    return (folder_ / name).lexically_normal().generic_string();
  }

  std::filesystem::path folder_;
  std::set<std::string> names_;
};

/// Applies nerfstudio's lists of training, validation and test files.
void read_split(const json& top, const std::filesystem::path& file, PosedImages& posed) {
  const NameList train(top, "train_filenames", file), validation(top, "val_filenames", file),
      named_test(top, "test_filenames", file);
  const NameList& test = named_test.empty() ? validation : named_test;
  if (test.empty() && train.empty()) return;
  NameList frames(json::object(), "", file);
  std::size_t both = 0, of_validation = 0, unlisted = 0;
  for (PosedImage& image : posed.images) {
    frames.add(image.file);
    const bool in_train = train.holds(image.file), in_test = test.holds(image.file);
    const bool in_validation = validation.holds(image.file);
    const bool is_train = in_train || (train.empty() && !in_validation);
    image.split = in_test ? Split::test : is_train ? Split::train : Split::unused;
    both += in_train && in_test;
    if (image.split == Split::unused) ++(in_validation ? of_validation : unlisted);
  }
  if (train.empty())
    posed.notes.emplace_back("no train_filenames: frames in no list are used for training");
  if (of_validation > 0) {
    posed.notes.push_back(fmt::format(
        "{} frames of val_filenames are left out, because test_filenames defines the test views",
        of_validation));
  }
  if (unlisted > 0) {
    posed.notes.push_back(
        fmt::format("{} of {} frames are in no list of the split and are left out", unlisted,
                    posed.images.size()));
  }
  if (both > 0) {
    posed.warnings.push_back(fmt::format(
        "{} {} listed both for training and for testing, and used for testing",
        number_of(static_cast<std::uint64_t>(both), "frame"), both == 1 ? "is" : "are"));
  }
  LeftOut strangers;
  for (const NameList* list : {&train, &validation, &named_test}) {
    list->find_strangers(frames, strangers);
  }
  if (strangers.count() > 0) {
    posed.warnings.push_back(
        strangers.phrase(train.count() + validation.count() + named_test.count(),
                         "names in the lists of the split match no frame with a usable pose"));
  }
}

std::optional<glm::dmat4> read_applied_transform(const json& top, const std::string& file) {
  const auto found = top.find("applied_transform");
  if (found == top.end() || found->is_null()) return {};
  const auto fault = [&]() -> Error {
    return {"expected 3 or 4 rows of 4 numbers, found " + quoted(*found),
            file + ", applied_transform", "correct the matrix"};
  };
  if (!found->is_array() || found->size() < 3 || found->size() > 4) throw fault();
  glm::dmat4 matrix(1);
  for (int row = 0; row < 3; ++row) {
    const json& values = (*found)[static_cast<std::size_t>(row)];
    if (!values.is_array() || values.size() != 4) throw fault();
    for (int column = 0; column < 4; ++column) {
      const json& value = values[static_cast<std::size_t>(column)];
      if (!value.is_number()) throw fault();
      matrix[column][row] = value.get<double>();
    }
  }
  return matrix;
}

}  // namespace

TransformsFile read_transforms_json(const std::filesystem::path& path,
                                    const TransformsRequest& request) {
  const json top = parse(path);
  const std::string file = path.string();
  const ImageFinder beside({path.parent_path()});
  TransformsFile result;
  read_frames(top, file, request, request.finder ? *request.finder : beside, result);
  read_split(top, path, result.posed);
  result.posed.source = file + ": " + number_of(result.posed.images.size(), "frame");
  result.applied_transform = read_applied_transform(top, file);
  result.field_hints = read_field_hints(top, file, result.posed.warnings);
  const ClearColors clear = read_clear_colors(top, file, result.posed.warnings);
  for (PosedImage& image : result.posed.images) {
    image.white_is_transparent = clear.white;
    image.black_is_transparent = clear.black;
  }
  const TransformsFrame whole(top, top, file);
  result.point_file = whole.text("ply_file_path");
  const std::string unit = whole.text("time_unit");
  if (!unit.empty() && unit != "s") {
    whole.fail("time_unit", "expected \"s\", found \"" + unit + "\"",
               "write times in seconds, or leave the key out for times from 0 to 1");
  }
  result.in_seconds = !unit.empty();
  return result;
}

}  // namespace mote
