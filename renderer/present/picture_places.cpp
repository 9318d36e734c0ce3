#include "present/picture_places.h"

#include "core/error.h"
#include "present/texels.h"

namespace mote::present {

PicturePlaces::PicturePlaces(const Device& device, std::size_t places, int width, int height)
    : device_(device),
      places_(places),
      place_bytes_(texel_bytes(TexelFormat::color8) * static_cast<std::size_t>(width) *
                   static_cast<std::size_t>(height)),
      buffer_(device, places * place_bytes_, "shared pictures") {
  if (!exports_timelines(device)) return;
  written_.emplace(device);
  read_.emplace(device);
}

SharedPictures PicturePlaces::exported(bool blue_first) const {
  SharedPictures result;
  result.device_uuid = device_.gpu().uuid;
  result.memory = buffer_.export_memory();
  result.allocated_bytes = buffer_.allocated_bytes();
  result.places = places_;
  result.place_bytes = place_bytes_;
  result.blue_first = blue_first;
  if (!ordered_by_host()) {
    result.written = written_->export_semaphore();
    result.read = read_->export_semaphore();
  }
  return result;
}

SharedTexels PicturePlaces::texels(const SharedPicture& picture) const {
  CHECK(picture.place < places_ && picture.width > 0 && picture.height > 0);
  CHECK(texel_bytes(TexelFormat::color8) * static_cast<std::size_t>(picture.width) *
            static_cast<std::size_t>(picture.height) <=
        place_bytes_);
  return {buffer_.get(), picture.place * place_bytes_, picture.width, picture.height};
}

}  // namespace mote::present
