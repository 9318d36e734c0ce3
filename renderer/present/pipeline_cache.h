#pragma once

// What a driver keeps of the pipelines that it made, from one start to the next.

#include <filesystem>

#include "present/device.h"
#include "present/handle.h"

namespace mote::present {

using PipelineCacheHandle = Handle<VkPipelineCache, vkDestroyPipelineCache>;

/// A file for each device and driver. One that is broken or of another driver is not used, and
/// written anew. Thread safe but for its making and its end.
class PipelineCache {
 public:
  /// `folder`: made when there is something to keep; empty: nothing is read or written. Throws
  /// Error where the driver refuses.
  PipelineCache(const Device& device, const std::filesystem::path& folder);

  VkPipelineCache get() const { return cache_.get(); }
  /// Empty without a folder.
  const std::filesystem::path& file() const { return file_; }
  /// Whether the file was there and of this driver.
  bool was_there() const { return was_there_; }
  /// Writes the file beside its place and renames it, where the driver has other data than it
  /// holds. That it cannot be written costs nothing but time at the next start, and is logged.
  void save();

 private:
  void write();

  const Device& device_;
  std::filesystem::path file_;
  bool was_there_ = false;
  std::uint64_t kept_ = 0;  // fingerprint of what the file holds
  PipelineCacheHandle cache_;
};

}  // namespace mote::present
