#pragma once

// The driver's pipeline cache, kept from one start to the next.

#include <filesystem>

#include "present/device.h"
#include "present/handle.h"

namespace mote::present {

using PipelineCacheHandle = Handle<VkPipelineCache, vkDestroyPipelineCache>;

/// One file per device and driver. A file that is damaged or of another driver is ignored and
/// replaced. Thread safe except for construction and destruction.
class PipelineCache {
 public:
  /// `folder`: made when there is something to store; empty: nothing is read or written. Throws
  /// Error where the driver refuses.
  PipelineCache(const Device& device, const std::filesystem::path& folder);

  VkPipelineCache get() const { return cache_.get(); }
  /// Empty without a folder.
  const std::filesystem::path& file() const { return file_; }
  /// Whether a valid file of this driver existed.
  bool was_there() const { return was_there_; }
  /// Writes the file and renames it into place if the driver's data have changed. A failure only
  /// costs time at the next start and is logged.
  void save();

 private:
  void write();

  const Device& device_;
  std::filesystem::path file_;
  bool was_there_ = false;
  std::uint64_t kept_ = 0;  // fingerprint of the file's data
  PipelineCacheHandle cache_;
};

}  // namespace mote::present
