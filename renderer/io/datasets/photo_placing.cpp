#include "io/datasets/photo_placing.h"

#include <map>
#include <span>
#include <system_error>

#include "core/error.h"
#include "core/file.h"
#include "core/interrupt.h"
#include "io/images/image_files.h"
#include "io/images/png_codec.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

void write_upright(const ListedPhoto& photo, const fs::path& target, Placed& placed) {
  const std::string bytes = read_text_file(photo.path);
  const auto span = std::as_bytes(std::span(bytes));
  const auto turn = is_png(span) ? upright_png : upright_jpeg;
  const Upright upright = turn(span, photo.orientation, photo.path.string());
  OutputFile file(target);
  file.write(upright.bytes);
  file.commit();
  if (upright.trimmed) placed.trimmed.add(photo.name);
  placed.upright.add(photo.name);
}

}  // namespace

void link_or_copy(const fs::path& file, const fs::path& target) {
  std::error_code fault;
  fs::create_hard_link(fs::canonical(file), target, fault);
  if (fault) fs::copy_file(file, target, fs::copy_options::overwrite_existing, fault);
  if (fault) {
    throw Error("cannot be copied: " + fault.message(), file.string() + " to " + target.string(),
                "free space on that disk, or choose another folder");
  }
}

Placed place_photographs(const PhotoListing& listing, const std::string& single_camera,
                         const ImportFolder& folder) {
  Placed placed;
  std::map<fs::path, ImageSize> first_of;  // per folder
  const auto same = [](ImageSize a, ImageSize b) {
    return a.width == b.width && a.height == b.height;
  };
  bool one_size = true, one_a_folder = true;
  ImageSize first{};
  OutputFile list(folder.list());
  for (const ListedPhoto& photo : listing.photos) {
    throw_if_interrupted();
    const fs::path target = folder.images() / photo.name;
    make_folders(target.parent_path());
    if (photo.orientation != 1) {
      write_upright(photo, target, placed);
    } else {
      link_or_copy(photo.path, target);
    }
    const ImageSize size = read_image_size(target);
    if (first_of.empty()) first = size;
    one_size = one_size && same(size, first);
    const auto here = first_of.try_emplace(target.parent_path(), size).first;
    one_a_folder = one_a_folder && same(size, here->second);
    list.write(photo.name + "\n");
  }
  list.commit();
  if (single_camera != "auto") {
    placed.sharing = single_camera == "yes" ? Sharing::all : Sharing::none;
  } else if (first_of.size() > 1) {
    placed.sharing = one_a_folder ? Sharing::folder : Sharing::none;
  } else {
    placed.sharing = one_size ? Sharing::all : Sharing::none;
  }
  return placed;
}

}  // namespace mote
