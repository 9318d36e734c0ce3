#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/viewer/mailbox.h"
#include "backend/backend.h"
#include "core/error.h"

namespace mote {

/// Pictures that stay on the device that renders and shows them (core/shared_pictures.h). The
/// window offers places for them; the render worker fills these, one for each place of its ring of
/// frames.
class PictureSharing {
 public:
  static constexpr std::size_t kPlaces = 3;

  // The window's thread.
  /// From now on pictures go there; nothing: to the host. Gives the number of this sharing: places
  /// of earlier ones hold nothing any more.
  std::uint64_t offer(std::optional<SharedPictures> pictures);
  /// The device that shows them was told to read this picture.
  void note_read(std::uint64_t sharing, const SharedPicture& picture);
  /// Why there are no places to be offered.
  void note_fault(const Error& fault);
  /// Why pictures go over the host though they need not.
  std::vector<std::string> take_faults() { return faults_.take(); }

  // The worker's thread.
  /// Takes up what was offered last.
  void take_up(Backend& backend);
  /// The number of the sharing that was taken up.
  std::uint64_t number() const { return number_; }
  /// Where a picture is to go; no sink where that is the host.
  PictureDelivery delivery(std::size_t place, int width, int height);
  /// Gives the places back.
  void end() { sink_.reset(); }

 private:
  Mailbox<std::string> faults_;
  std::mutex mutex_;
  bool offered_anew_ = false;
  std::optional<SharedPictures> offer_;
  std::uint64_t offers_ = 0;
  std::array<std::uint64_t, kPlaces> read_{};  // the last picture read of each place
  // The worker's.
  std::unique_ptr<PictureSink> sink_;
  std::size_t place_bytes_ = 0;
  std::uint64_t number_ = 0, pictures_ = 0;
};

}  // namespace mote
