#include "app/viewer/workers/picture_sharing.h"

#include <utility>

namespace mote {
namespace {

constexpr std::size_t kTexel_bytes = 4;

}  // namespace

std::uint64_t PictureSharing::offer(std::optional<SharedPictures> pictures) {
  CHECK(!pictures || pictures->places == kPlaces);
  const std::lock_guard lock(mutex_);
  offer_ = std::move(pictures);
  offered_anew_ = true;
  read_ = {};
  return ++offers_;
}

void PictureSharing::note_read(std::uint64_t sharing, const SharedPicture& picture) {
  const std::lock_guard lock(mutex_);
  if (sharing == offers_) read_[picture.place] = picture.number;
}

void PictureSharing::note_fault(const Error& fault) {
  faults_.put(std::string("pictures pass through host memory: ") + fault.what());
}

void PictureSharing::take_up(Backend& backend) {
  std::unique_lock lock(mutex_);
  if (!std::exchange(offered_anew_, false)) return;
  std::optional<SharedPictures> offer = std::exchange(offer_, std::nullopt);
  number_ = offers_;
  lock.unlock();
  sink_.reset();
  if (!offer) return;
  place_bytes_ = offer->place_bytes;
  try {
    sink_ = backend.import_pictures(*std::move(offer));
  } catch (const Error& error) {
    note_fault(error);
  }
}

void PictureSharing::give_up(const DeliveryError& fault) {
  end();
  note_fault(fault);
}

PictureDelivery PictureSharing::delivery(std::size_t place, int width, int height) {
  const std::size_t bytes =
      kTexel_bytes * static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  if (sink_ == nullptr || bytes > place_bytes_) return {};
  const std::lock_guard lock(mutex_);
  // A new offer has its own places, of which nothing was read yet.
  const std::uint64_t after_read = offered_anew_ ? 0 : read_[place];
  return {.sink = sink_.get(),
          .picture = {place, ++pictures_, width, height},
          .after_read = after_read};
}

}  // namespace mote
