#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "core/error.h"
#include "core/mailbox.h"

namespace mote {

/// Pictures that stay on the device which renders and shows them (core/shared_pictures.h). The
/// window offers places for them. The render worker writes to them, one per slot of its frame ring.
class PictureSharing {
 public:
  static constexpr std::size_t kPlaces = 3;

  // Called by the window's thread.
  /// Sets the destination of pictures; empty: the host. Returns the number of this sharing. Places
  /// of earlier sharings become invalid.
  std::uint64_t offer(std::optional<SharedPictures> pictures);
  /// Records that the showing device was told to read this picture.
  void note_read(std::uint64_t sharing, const SharedPicture& picture);
  /// Records why no places can be offered.
  void note_fault(const Error& fault);
  /// Reasons why pictures go through the host although they could be shared.
  std::vector<std::string> take_faults() { return faults_.take(); }

  // Called by the worker's thread.
  /// Accepts the latest offer.
  void take_up(Backend& backend);
  /// The number of the accepted sharing.
  std::uint64_t number() const { return number_; }
  /// Destination of a picture; it has no sink if the picture goes to the host.
  PictureDelivery delivery(std::size_t place, int width, int height);
  /// Releases the places.
  void end() { sink_.reset(); }
  /// Releases the places, since they take no more pictures, and records the reason.
  void give_up(const DeliveryError& fault);

 private:
  Mailbox<std::string> faults_;
  std::mutex mutex_;
  bool offered_anew_ = false;
  std::optional<SharedPictures> offer_;
  std::uint64_t offers_ = 0;
  std::array<std::uint64_t, kPlaces> read_{};  // last picture that was read, per place
  // Used by the worker's thread only.
  std::unique_ptr<PictureSink> sink_;
  std::size_t place_bytes_ = 0;
  std::uint64_t number_ = 0, pictures_ = 0;
};

}  // namespace mote
